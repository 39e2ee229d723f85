"""Reads the files a user points at, so that every front end words the same mistakes alike."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import BinaryIO

from bugsieve.basis.errors import InputError

MEBIBYTE = 1 << 20
DOMAIN_FILE, PROBLEM_FILE = "domain.pddl", "problem.pddl"
"""What a folder holds that stands for a task."""
MODEL_FILE = "model.jani"
"""What a folder holds that stands for a model."""

_BLANK = rb"(?:\s|;[^\n]*\n)*"  # also comments of PDDL
_PROBLEM = re.compile(_BLANK.join((b"", rb"\(", b"define", rb"\(", rb"problem\b")), re.IGNORECASE)
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"  # some editors put it before UTF-8 text


def read_input(path: str | os.PathLike[str], *, kind: str, max_bytes: int) -> bytes:
    """The bytes of a regular file of at most `max_bytes`; `kind` says what was expected.

    A byte order mark is left out.
    """
    name = os.fspath(path)
    try:
        with Path(path).open("rb") as file:
            data = _at_most(file, max_bytes + 1)
    except IsADirectoryError:
        raise InputError(f"{name}: is a directory, give the {kind} file inside it") from None
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file{_missing_folder(name)}") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{name}: cannot be read ({reason})") from None
    data = data.removeprefix(_BYTE_ORDER_MARK)
    if not data.strip():
        raise InputError(f"{name}: is empty, {_a_file(kind)} was expected")
    if len(data) > max_bytes:
        limit = max_bytes // MEBIBYTE
        raise InputError(f"{name}: is larger than {limit} MiB, the limit for {_a_file(kind)}")
    return data


def _a_file(kind: str) -> str:
    """`an ASNet file`, `an NDDL file`, `a network file`."""
    return f"{'an' if kind[:1] in 'aeiouAEION' else 'a'} {kind} file"


def _at_most(file: BinaryIO, size: int) -> bytes:
    """In pieces: Python makes room for all that it is asked for before it looks at the file."""
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
    """What is missing beside a PDDL file that was given alone."""
    if _PROBLEM.match(text):
        return f"{name}: is a PDDL problem; give its domain file before it"
    return f"{name}: a PDDL domain needs a problem file beside it"


def _missing_folder(name: str) -> str:
    folder = Path(name).parent
    return "" if folder.is_dir() else f" (nor a folder {str(folder)!r})"
