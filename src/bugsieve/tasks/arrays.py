"""Arrays that callers give, of tasks and models alike."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve.basis.errors import UsageError


def as_array(values: ArrayLike, what: str) -> NDArray[Any]:
    """The values as an array of whatever type, or a UsageError that names them."""
    try:
        return np.asarray(values)
    except (ValueError, TypeError, OverflowError):  # rows of different lengths, mostly
        raise UsageError(f"the {what} form no array: are all rows equally long?") from None
