"""Specs that the user has typed are trusted; those that only a file names start after a yes.

A spec that starts programs, connects, or runs code of others is remembered when it is made: as a
hash of its text, its folder and its programs, in a list that belongs to the user alone. A file may
name a spec on that list. It may never name a program inside the folder of a campaign, which a
stranger may have made.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import sysconfig
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from bugsieve.base.errors import UsageError
from bugsieve.base.files_and_processes.derived_data import content_key
from bugsieve.base.files_and_processes.unlinked_folders import campaign_around
from bugsieve.base.registry.members import MemberTable
from bugsieve.base.registry.outside_access import OutsideAccess
from bugsieve.base.registry.spec_folder import located, spec_folder, typed_in
from bugsieve.base.wording import printable

LIST_FILE = "trusted-policies"
MOST_TRUSTED = 5000
"""The oldest make room."""

Consent = Callable[[str], bool]
"""Answers the question whether something may be started."""

_LINE_BYTES = 65  # a SHA-256 in hexadecimal, and the end of the line


def refuse(question: str) -> bool:
    """Refuse: there is no one to ask."""
    return False


def agree(question: str) -> bool:
    """Agree to every question."""
    return True


_CONSENT: ContextVar[Consent] = ContextVar("consent", default=refuse)


@contextlib.contextmanager
def asking(consent: Consent) -> Iterator[None]:
    """Let this answer for what only a file says."""
    token = _CONSENT.set(consent)
    try:
        yield
    finally:
        _CONSENT.reset(token)


def trusting(trust_policy: bool) -> contextlib.AbstractContextManager[None]:
    """Agree to everything, or leave the answer to the consent that is set already."""
    return asking(agree) if trust_policy else contextlib.nullcontext()


def remember(table: MemberTable[Any], spec: str) -> None:
    """The user has typed the spec, or agreed to it."""
    reach = table.started_by(spec)
    if reach.needs_trust:
        _add(_key(table, spec, _code(reach)))


def require_trusted(table: MemberTable[Any], spec: str, source: object) -> None:
    """UsageError if only `source`, a file or folder, says that this spec is to be made.

    So for the specs in the files that it names.
    """
    reach = table.started_by(spec)
    if reach.needs_trust:
        _require(table, spec, reach, source)
    for inner, folder, file in table.named_by(spec):
        with typed_in(folder):
            require_trusted(table, inner, file)


def require_trusted_below(root: str, table: MemberTable[Any], spec: str, source: object) -> None:
    """The same, but what a file says counts as typed unless the spec leaves a folder.

    For folders whose code runs anyway, as that of `conftest.py` does. A spec leaves it by a
    connection, by a path to a program or to code elsewhere, also behind a link. Programs and
    modules that the user has installed are not paths.
    """
    if _leaves(root, table, spec):
        require_trusted(table, spec, source)
        return
    for inner, folder, file in table.named_by(spec):
        with typed_in(folder):
            require_trusted_below(root, table, inner, file)


def _leaves(root: str, table: MemberTable[Any], spec: str) -> bool:
    reach = table.started_by(spec)
    if not reach.needs_trust:
        return False
    programs = [name for name in table.reach_of(spec).programs if os.path.dirname(name)]
    code = [os.path.realpath(located(name)) for name in (*programs, *reach.files)]
    installed = (sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))
    inside = [os.path.realpath(folder) for folder in (root, *installed)]
    return bool(reach.connections) or any(
        not any(os.path.commonpath((name, folder)) == folder for folder in inside) for name in code
    )


def _require(table: MemberTable[Any], spec: str, reach: OutsideAccess, source: object) -> None:
    code = _code(reach)
    key = _key(table, spec, code)
    strange = next((name for name in code if campaign_around(name) is not None), None)
    if strange is None and key in _trusted():
        return
    why = "you have not typed"
    if strange is not None:
        why = f"has a program in the folder of a campaign ({strange}), which anybody may have made"
    question = printable(
        f"{source} names the {table.family.noun} {spec!r}, which {why}: it would {_deed(reach)}"
    )
    if not _CONSENT.get()(question):
        raise UsageError(
            f"{question}; say --trust-policy (in Python trust_policy=True) if you trust it"
        )
    _add(key)


def _deed(reach: OutsideAccess) -> str:
    """The deed to agree to, in words."""
    links = f"connect to {', '.join(reach.connections)}" if reach.connections else ""
    if links and not reach.programs and not reach.runs_code:
        return links
    where = "" if spec_folder() == os.sep else f" in {spec_folder()}"
    runs = f"run {', '.join(reach.programs) or 'code of others'}{where}"
    return f"{runs} and {links}" if links else runs


def _code(reach: OutsideAccess) -> list[str]:
    """The paths of the programs and the code."""
    programs = (
        name if os.path.dirname(name) else shutil.which(name) or name for name in reach.programs
    )
    return [os.path.realpath(located(name)) for name in (*programs, *reach.files)]


def _key(table: MemberTable[Any], spec: str, code: list[str]) -> str:
    folder = os.path.realpath(spec_folder())
    parts = (table.family.noun, table.family.subject, spec.strip(), folder, *code)
    return content_key(part.encode("utf-8", "surrogateescape") for part in parts)


def state_folder() -> Path:
    """`bugsieve` in $XDG_STATE_HOME, which must be absolute, or in `~/.local/state`."""
    base = os.environ.get("XDG_STATE_HOME", "")
    usual = Path("~/.local/state").expanduser()
    return (Path(base) if os.path.isabs(base) else usual) / "bugsieve"


def _trusted() -> list[str]:
    """The keys on the list, if no other user can have written it."""
    with contextlib.suppress(OSError, RuntimeError):
        known = own_bytes(state_folder() / LIST_FILE, MOST_TRUSTED * _LINE_BYTES)
        return known.decode("ascii", "replace").split()
    return []


def own_bytes(path: Path, most: int) -> bytes:
    """The first bytes of a file that no other user can have written; nothing of any other file."""
    with open(path, "rb") as file:
        status = os.fstat(file.fileno())
        others = status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        if status.st_uid != os.geteuid() or others or not stat.S_ISREG(status.st_mode):
            return b""
        return file.read(most)


def _add(key: str) -> None:
    """Put the key on the list; where it cannot be written, the user is asked again next time."""
    if key in _trusted():
        return
    with contextlib.suppress(OSError, RuntimeError):
        folder = state_folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock = os.open(folder / f"{LIST_FILE}.lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            kept = [known for known in _trusted() if known != key][1 - MOST_TRUSTED :]
            _write(folder / LIST_FILE, "".join(f"{line}\n" for line in (*kept, key)))
        finally:
            os.close(lock)


def _write(path: Path, text: str) -> None:
    """Replace the list in one step; call it under the lock."""
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
    os.replace(part, path)
