"""The names of heuristics, so that a wrong one is met before there is a task to evaluate."""

from __future__ import annotations

from bugsieve import _native
from bugsieve.base.arguments import require_text
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such


def listed() -> dict[str, str]:
    """The names for `bugsieve list`, which say all."""
    return dict.fromkeys(_native.HEURISTICS, "")


def check_heuristic(name: str) -> None:
    """Raise UsageError unless there is a heuristic of that name."""
    require_text(name, "the heuristic")
    if name not in _native.HEURISTICS:
        raise UsageError(no_such("heuristic", name, _native.HEURISTICS))
