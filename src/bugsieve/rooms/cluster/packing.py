"""The files of a job on their way from a node to the driver, which trusts no name or size."""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.files import write_atomically
from bugsieve.base.files_and_processes.unlinked_folders import make_folders
from bugsieve.campaigns.store.lock import LOCK_FILE, FolderLock
from bugsieve.campaigns.store.schema import explained

MOST_FILES = 100_000
_DEEPEST = 8
_LONGEST = 1000
_STAGING = ".arriving-"


@dataclass(frozen=True)
class PackedFile:
    """A file that a job has made."""

    place: int
    """Which of the files and folders that come back it is, or is part of."""
    name: str
    """Below that folder, with / at its end for an empty folder there; empty for a file that comes
    back by itself."""
    digest: str
    """The SHA-256 of its content."""
    content: bytes


def digest_of(content: bytes) -> str:
    """The digest that names a content."""
    return hashlib.sha256(content).hexdigest()


def pack(paths: Sequence[Path]) -> tuple[PackedFile, ...]:
    """All files at and below the paths; files that are not plain stay behind."""
    return tuple(
        PackedFile(place, name, digest_of(content), content)
        for place, path in enumerate(paths)
        for name, content in _contents(path)
    )


def plain_files(folder: Path) -> Iterator[Path]:
    """The files below a folder in alphabetical order; no links, and not its lock."""
    for where, below, names in os.walk(folder):
        below.sort()
        for name in sorted(names):
            path = Path(where) / name
            if stat.S_ISREG(path.lstat().st_mode) and name != LOCK_FILE:
                yield path


def _contents(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for file in plain_files(path):
            yield file.relative_to(path).as_posix(), file.read_bytes()
        for where, below, names in os.walk(path):
            if not below and not names:
                yield f"{Path(where).relative_to(path).as_posix()}/", b""
    elif path.is_file():
        yield "", path.read_bytes()


def unpack(files: Sequence[PackedFile], paths: Sequence[Path]) -> None:
    """Put what came back in its places, each folder as a whole; InputError if it is not right."""
    _check(files, len(paths))
    for place, path in enumerate(paths):
        own = [file for file in files if file.place == place]
        with explained(path.parent):
            if own and not own[0].name:
                make_folders(path.parent)
                write_atomically(path, own[0].content)
            elif own:
                _replace_folder(path, own)


def _check(files: Sequence[PackedFile], places: int) -> None:
    """InputError unless every file is what it says, and belongs where it says."""
    if len(files) > MOST_FILES:
        raise InputError(f"a node sent {len(files)} files: more than {MOST_FILES} are refused")
    seen: set[tuple[int, str]] = set()
    for file in files:
        if type(file.content) is not bytes or digest_of(file.content) != file.digest:
            raise InputError(f"the file {file.name!r} of a node was damaged on its way")
        is_known = type(file.place) is int and 0 <= file.place < places
        if not is_known or not _is_inside(file.name) or (file.place, file.name) in seen:
            raise InputError(f"a node sent a file with the name {file.name!r}, which is refused")
        seen.add((file.place, file.name))
    if any(not name and sum(place == other for other, _ in seen) > 1 for place, name in seen):
        raise InputError("a node sent a folder where a file belongs")


def _is_inside(name: object) -> bool:
    """Return true for a name of something below a folder, on every system, or an empty name."""
    if name == "":
        return True
    if not isinstance(name, str) or len(name) > _LONGEST or not name.isprintable():
        return False
    parts = name.removesuffix("/").split("/")
    is_plain = all(part not in ("", ".", "..") for part in parts) and "\\" not in name
    return is_plain and len(parts) <= _DEEPEST and parts[-1] != LOCK_FILE


def _replace_folder(path: Path, files: Sequence[PackedFile]) -> None:
    """Write all files to a new folder, which then takes the place of the old one."""
    make_folders(path.parent)
    with ExitStack() as stack:
        for left in path.parent.glob(f"{_STAGING}*"):  # by a driver that was killed just here
            shutil.rmtree(left, ignore_errors=True)
        staging = Path(tempfile.mkdtemp(prefix=_STAGING, dir=path.parent))
        stack.callback(shutil.rmtree, staging, ignore_errors=True)
        new = staging / "new"
        for file in files:
            target = new / PurePosixPath(file.name)
            folder = target if file.name.endswith("/") else target.parent
            folder.mkdir(parents=True, exist_ok=True)
            if folder != target:
                target.write_bytes(file.content)
        if path.is_symlink():
            raise InputError(f"{path}: is a link, but results are not written through links")
        if path.exists():
            stack.callback(FolderLock(path).close)  # another process may resume the campaign
            os.rename(path, staging / "old")
        os.rename(new, path)
