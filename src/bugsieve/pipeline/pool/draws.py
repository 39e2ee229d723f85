"""Random numbers for whole batches of walks, the same on every machine.

Draw number n of walk w is a function of the seed, w and n alone. So walks can run in any order and
in batches of any size, and a campaign that goes on needs no state of a generator.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bugsieve._native import Draws
from bugsieve.base.seeds import Stream

START = 0
"""The draw that picks the pool entry a walk starts from."""
LENGTH = 1
"""The draw that picks how many steps it makes."""
FIRST_STEP = 2
"""The draw of its first step; the next ones follow."""
INSERT = 1 << 63
"""The draw that picks one of the states it met beside its way; no walk has so many steps."""


def draws_of(seed: int, walks: NDArray[np.int64]) -> Draws:
    """The random numbers of these walks; row i belongs to walk i of the batch."""
    keys = Stream(seed, "walks")
    return Draws(keys.word(), keys.word(), walks)
