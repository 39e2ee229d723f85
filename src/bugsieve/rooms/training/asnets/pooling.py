"""The element-wise maximum of segments of rows, with gradients shared among equals.

`torch.segment_reduce` has the fastest maximum on a processor, but its gradient is wrong where
several rows attain it: only positive gradients are divided among them, negative ones count for
each. In ASNets that is the normal case, as objects that look alike have equal vectors.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch


def segment_maxima(
    rows: torch.Tensor, lengths: torch.Tensor, segments: torch.Tensor
) -> torch.Tensor:
    """The maximum of each segment; none is empty. `segments` has the number of each row's."""
    found: torch.Tensor = _function().apply(rows, lengths, segments)
    return found


@cache
def _function() -> Any:
    import torch

    class SegmentMaxima(torch.autograd.Function):
        @staticmethod
        def forward(
            context: Any, rows: torch.Tensor, lengths: torch.Tensor, segments: torch.Tensor
        ) -> torch.Tensor:
            maxima = torch.segment_reduce(rows, "max", lengths=lengths, unsafe=True)
            context.save_for_backward(rows, maxima, lengths, segments)
            return maxima

        @staticmethod
        def backward(context: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None]:
            rows, maxima, lengths, segments = context.saved_tensors
            attained = (rows == maxima.index_select(0, segments)).to(rows.dtype)
            counts = torch.segment_reduce(attained, "sum", lengths=lengths, unsafe=True)
            shares = (gradients[0] / counts).index_select(0, segments)
            return attained.mul_(shares), None, None

    return SegmentMaxima
