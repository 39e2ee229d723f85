"""Writing files so that a reader, or a crash, never meets half of one."""

from __future__ import annotations

import os
from itertools import count
from pathlib import Path

_NUMBERS = count()


def write_text(path: Path, text: str) -> None:
    """Put `text` (UTF-8, newlines as they are) in place of whatever `path` held, in one step."""
    write_atomically(path, text.encode("utf-8"))


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` in place of whatever `path` held, in one step."""
    # The process id keeps processes apart, the number threads; permissions follow the umask.
    part = path.with_name(f".{path.name}.{os.getpid()}.{next(_NUMBERS)}.part")
    try:
        with open(part, "xb") as file:
            file.write(data)
        os.replace(part, path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
