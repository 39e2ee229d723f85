"""PyTorch, if it is there; it is large, and only training needs it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from bugsieve.base.errors import UsageError

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

    # use_deterministic_algorithms would load PyTorch's compiler as well, in seconds, which we
    # never use.
    earlier = torch.get_num_threads(), torch.get_deterministic_debug_mode()
    torch.set_num_threads(threads)
    torch.set_deterministic_debug_mode("error")
    try:
        yield
    finally:
        torch.set_num_threads(earlier[0])
        torch.set_deterministic_debug_mode(earlier[1])
