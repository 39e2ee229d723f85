"""Things that hold files or processes and let go of them at the end of a `with` block."""

from __future__ import annotations

from types import TracebackType
from typing import TypeVar

Self = TypeVar("Self", bound="Closing")


class Closing:
    """Base of what is closed when its block ends; what `close` does is the members' business."""

    def close(self) -> None:
        """Let go of everything; by default there is nothing to let go of."""

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
