"""ASNets that come with Bugsieve, for its own domains; docs/training.md says how they were made.

`asnets:NAME` is one of them wherever it is typed; a file of that name is `asnets:./NAME`.
"""

from __future__ import annotations

from pathlib import Path

NAMES = ("blocksworld", "ferry", "gripper")


def path(name: str) -> str:
    """The file of the network for the domain of this name."""
    return str(Path(__file__).with_name(f"{name}.safetensors"))
