"""Feed-forward networks in files: readers of the usual formats, a writer of safetensors."""

from bugsieve.rooms.formats.networks.network import ACTIVATIONS, Network, Normalisation
from bugsieve.rooms.formats.networks.reading import read_network
from bugsieve.rooms.formats.networks.safetensors import write_safetensors

__all__ = ["ACTIVATIONS", "Network", "Normalisation", "read_network", "write_safetensors"]
