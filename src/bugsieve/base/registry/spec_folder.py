"""The folder in which the spec at hand was typed: files that it names are looked for there.

Members ask for it where they touch a file or start a program. So a stored spec means the same from
every folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from bugsieve.base.errors import UsageError

_FOLDER: ContextVar[str] = ContextVar("folder of the spec", default="")
_ROOT: ContextVar[str] = ContextVar("folder of absolute names", default="")


@contextmanager
def typed_in(folder: str) -> Iterator[None]:
    """Make specs as they were meant in this folder; empty for the current one."""
    other = "" if not folder or folder == _here() else folder
    if other and not os.path.isdir(other):
        raise UsageError(
            f"the policy was named in the folder {other}, which is gone: put it back, or name "
            "the policy anew"
        )
    token = _FOLDER.set(other)
    try:
        yield
    finally:
        _FOLDER.reset(token)


def spec_folder() -> str:
    """The folder itself."""
    return _FOLDER.get() or _here()


def _here() -> str:
    try:
        return os.getcwd()
    except OSError:
        raise UsageError("the current folder is gone: go to another one") from None


def located(name: str) -> str:
    """The path of a file that a spec names: as it is where the spec was typed here."""
    elsewhere = _ROOT.get() + name
    if _ROOT.get() and os.path.isabs(name) and os.path.exists(elsewhere):
        return elsewhere
    return os.path.join(_FOLDER.get(), name)


@contextmanager
def rooted_at(root: str) -> Iterator[None]:
    """Look for files with absolute names below this folder first: they are another machine's."""
    token = _ROOT.set(root)
    try:
        yield
    finally:
        _ROOT.reset(token)
