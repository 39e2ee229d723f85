"""Reads the files a user points at, so that every front end words the same mistakes alike."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import BinaryIO

from bugsieve.base.allowances import MEBIBYTE as MEBIBYTE
from bugsieve.base.allowances import allow_for
from bugsieve.base.errors import InputError

DOMAIN_FILE, PROBLEM_FILE = "domain.pddl", "problem.pddl"
"""The names of the files in a folder that stands for a task."""
MODEL_FILE = "model.jani"
"""The name of the file in a folder that stands for a model."""

_BLANK = rb"(?:\s|;[^\n]*\n)*"  # also comments of PDDL
_PROBLEM = re.compile(_BLANK.join((b"", rb"\(", b"define", rb"\(", rb"problem\b")), re.IGNORECASE)
_STREAMS = ("/dev/fd/", "/proc/self/fd/", "/dev/stdin")
"""Paths that shells write for `<(…)`."""
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some editors put it before UTF-8 text


def read_input(
    path: str | os.PathLike[str], *, kind: str, max_bytes: int, is_typed: bool = True
) -> bytes:
    """The bytes of a regular file of at most `max_bytes`; `kind` says what was expected.

    A byte order mark is left out. Where a file names the other one, `is_typed` is false.
    """
    name = os.fspath(path)
    data = read_regular(name, kind=kind, max_bytes=max_bytes, is_typed=is_typed)
    data = data.removeprefix(_BYTE_ORDER_MARK)
    if not data.strip():
        raise InputError(f"{name}: is empty, {_a_file(kind)} was expected")
    return data


def read_regular(
    path: str | os.PathLike[str], *, kind: str, max_bytes: int, is_typed: bool = False
) -> bytes:
    """The bytes of a regular file, as they are; of what the user typed, `<(…)` is read as well.

    This is the one gate for files of others: nothing is waited for, and no more is read than
    there may be.
    """
    name = os.fspath(path)
    try:
        with _opened(name) as file:
            _require_readable(name, os.fstat(file.fileno()), kind, max_bytes, is_typed=is_typed)
            os.set_blocking(file.fileno(), True)
            data = _at_most(file, max_bytes + 1)
    except IsADirectoryError:
        raise InputError(f"{name}: is a directory, give the {kind} file inside it") from None
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file{_missing_folder(name)}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{name}: cannot be read ({reason})") from None
    if len(data) > max_bytes:
        raise _too_large(name, kind, max_bytes)
    allow_for(len(data))
    return data


def _opened(name: str) -> BinaryIO:
    """The file, opened without waiting for the other end of a pipe."""
    return open(os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb")


def _require_readable(
    name: str, status: os.stat_result, kind: str, max_bytes: int, *, is_typed: bool
) -> None:
    """Refuse files that are too large, and all but regular files and `<(…)`, before reading."""
    mode = status.st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError
    if stat.S_ISFIFO(mode) and is_typed and name.startswith(_STREAMS):
        return
    if not stat.S_ISREG(mode):
        raise InputError(f"{name}: is a pipe or a device, give {_a_file(kind)}")
    if status.st_size > max_bytes:
        raise _too_large(name, kind, max_bytes)


def _too_large(name: str, kind: str, max_bytes: int) -> InputError:
    whole = max_bytes >= MEBIBYTE
    limit = f"{max_bytes // MEBIBYTE} MiB" if whole else f"{max_bytes >> 10} KiB"
    return InputError(f"{name}: is larger than {limit}, the limit for {_a_file(kind)}")


def _a_file(kind: str) -> str:
    """`an ASNet file`, `an NDDL file`, `a network file`."""
    return f"{'an' if kind[:1] in 'aeiouAEION' else 'a'} {kind} file"


def _at_most(file: BinaryIO, size: int) -> bytes:
    """Read in pieces: Python makes room for all that it is asked for before it sees the file."""
    pieces = []
    while size > 0 and (piece := file.read(min(size, MEBIBYTE))):
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def task_files(*given: str) -> tuple[str, ...]:
    """The files as they are; one folder stands for the domain and the problem that it holds."""
    if len(given) != 1 or not os.path.isdir(given[0]):
        return given
    inside = tuple(os.path.join(given[0], name) for name in (DOMAIN_FILE, PROBLEM_FILE))
    missing = [os.path.basename(path) for path in inside if not os.path.isfile(path)]
    if missing:
        raise InputError(
            f"{given[0]}: is a folder that holds no {' and no '.join(missing)}; "
            "give a domain and a problem file, or one .sas file"
        )
    return inside


def model_file(given: str) -> str:
    """The file as it is; a folder stands for the model that it holds."""
    if not os.path.isdir(given):
        return given
    inside = os.path.join(given, MODEL_FILE)
    if not os.path.isfile(inside):
        raise InputError(
            f"{given}: is a folder that holds no {MODEL_FILE}; give a JANI file, or a domain and "
            "a problem in PDDL with oneof"
        )
    return inside


def half_of_a_task(name: str, text: bytes) -> str:
    """The sentence on the half that is missing beside a PDDL file that was given alone."""
    if _PROBLEM.match(text):
        return f"{name}: is a PDDL problem; give its domain file before it"
    return f"{name}: a PDDL domain needs a problem file beside it"


def _missing_folder(name: str) -> str:
    folder = Path(name).parent
    return "" if folder.is_dir() else f" (nor a folder {str(folder)!r})"
