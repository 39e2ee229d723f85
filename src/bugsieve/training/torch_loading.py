"""PyTorch, if it is there; it is large, and only training needs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bugsieve.basis.errors import UsageError

PIP_COMMAND = "pip install 'bugsieve[train]'"


def require_torch() -> None:
    """UsageError, with what to do about it, where PyTorch cannot be imported."""
    try:
        import torch  # noqa: F401
    except ImportError as error:
        reason = " ".join(str(error).split())
        raise UsageError(
            f"training needs PyTorch, which cannot be imported ({reason}): {PIP_COMMAND}"
        ) from None


@contextmanager
def repeatable(threads: int) -> Iterator[None]:
    """Inside, PyTorch uses so many threads and gives the same numbers every time."""
    import torch

    earlier = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.set_num_threads(earlier[0])
        torch.use_deterministic_algorithms(earlier[1])
