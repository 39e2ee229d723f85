"""Dominance functions: how much easier one state is than another, proven without search.

Used by the oracles that compare what a policy does in different states.
"""

from __future__ import annotations

from bugsieve.rooms.dominance.function import DominanceFunction
from bugsieve.rooms.dominance.options import DominanceOptions

__all__ = ["DominanceFunction", "DominanceOptions"]
