"""The traces of a Python policy that raises: where, and what it printed before.

Light: the worker process imports it.
"""

from __future__ import annotations

import os
import re
from types import TracebackType

MOST = 4096
"""Characters that are kept of a traceback, and of what was printed; the last ones."""

_PRINTED = "it printed:\n"
_FRAME = re.compile(r'File "([^"\n]*)", line ([0-9]+)')
_PACKAGE = os.path.dirname(os.path.dirname(__file__))
_OURS = tuple(
    os.path.join(_PACKAGE, *folder)
    for folder in (("policies",), ("policies", "foreign"), ("rooms", "jani", "policies"))
)


def traceback_of(error: BaseException) -> str:
    """The traceback from the policy's own code on; empty where there is no memory for one."""
    import traceback

    try:
        lines = traceback.format_exception(type(error), error, _theirs(error.__traceback__))
        return "".join(lines)[-MOST:]
    except Exception:  # the exception is the policy's own, and so are its mistakes
        return ""


def trace_text(traceback: str, printed: str) -> str:
    """Both as one text for people; either may be empty."""
    told = f"{_PRINTED}{printed[-MOST:].rstrip()}" if printed.strip() else ""
    text = "\n".join(part for part in (traceback[-MOST:].rstrip(), told) if part)
    return text.encode("utf-8", "replace").decode()  # halves of characters cannot be stored


def raised_at(trace: str) -> str:
    """The file, without its folder, and the line of the innermost frame; empty if it has none."""
    frames = _FRAME.findall(trace.split(_PRINTED)[0]) or _FRAME.findall(trace)
    if not frames:
        return ""
    path, line = frames[-1]
    return f"{os.path.basename(path)}:{line}"


def _theirs(trace: TracebackType | None) -> TracebackType | None:
    """The frames below those in which we called the policy."""
    frame = trace
    while frame is not None and os.path.dirname(frame.tb_frame.f_code.co_filename) in _OURS:
        frame = frame.tb_next
    return frame
