"""How large ASNets are, and how large they may be."""

DEFAULT_HIDDEN = 16
DEFAULT_LAYERS = 2
MAX_HIDDEN = 512
MAX_LAYERS = 16
