"""Runs checks for tests, and keeps what those that fail have found in the cache of pytest."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bugsieve.base.arguments import require_folder
from bugsieve.base.errors import BugsieveError
from bugsieve.campaigns.cost.found_bug import FoundBug
from bugsieve.campaigns.python_calls.bugs import Bugs
from bugsieve.rooms.regression.check import CheckPlan, plan_check
from bugsieve.tasks.problem_sets import folder_name

_CALLS = pytest.StashKey[int]()


def checked_by(
    node: pytest.Item,
    policy: Any,
    problems: Any,
    *,
    domain: Any = None,
    allow_undecided: bool = False,
    folder: Any = None,
    **options: Any,
) -> Bugs[FoundBug]:
    """`bugsieve.check` in a test."""
    __tracebackhide__ = True
    try:
        plan = plan_check(policy, problems, domain, allow_undecided, options)
        if folder is None:
            return run_kept(node, plan)
        place = require_folder(folder, "folder")
        return _passed(plan, place, place)
    except BugsieveError as error:
        raise error.with_traceback(None) from None  # their line says more than ours


def run_kept(node: pytest.Item, plan: CheckPlan) -> Bugs[FoundBug]:
    """Run the check; unless it passes, its folder is kept, in place of the last one."""
    __tracebackhide__ = True
    with _work_folder(node) as (work, kept):
        return _passed(plan, work, kept)


def _passed(plan: CheckPlan, work: Path, kept: Path) -> Bugs[FoundBug]:
    __tracebackhide__ = True
    checked = plan.run(work)
    if checked.passes:
        return checked.bugs
    if work != kept:
        _replace(work, kept)
    raise AssertionError(checked.text(kept))


@contextlib.contextmanager
def _work_folder(node: pytest.Item) -> Iterator[tuple[Path, Path]]:
    """A folder of our own to work in, and where it is put if it is to stay.

    Two runs of pytest at once never work in the same one.
    """
    cache, name = _cache(node), _name(node)
    own = Path(tempfile.mkdtemp(prefix=".run-" if cache else "bugsieve-", dir=cache))
    work, kept = own / "work" / name, (cache or own) / name
    try:
        yield work, kept
    except BaseException:
        if work.is_dir():  # cut short: it can be resumed
            _replace(work, kept)
        raise
    finally:
        shutil.rmtree(own / "work", ignore_errors=True)
        with contextlib.suppress(OSError):  # there is something to keep
            own.rmdir()


def _replace(work: Path, kept: Path) -> None:
    shutil.rmtree(kept, ignore_errors=True)
    os.replace(work, kept)


def _cache(node: pytest.Item) -> Path | None:
    """The same on all processes of xdist; None where pytest has no cache."""
    cache = getattr(node.config, "cache", None)
    try:
        return None if cache is None else Path(cache.mkdir("bugsieve"))
    except OSError:  # the project cannot be written
        return None


def _name(node: pytest.Item) -> str:
    """Says which test it is; ids may be longer than names of files, and hold anything."""
    number = node.stash.get(_CALLS, 0) + 1
    node.stash[_CALLS] = number
    digest = hashlib.sha256(node.nodeid.encode("utf-8", "surrogateescape")).hexdigest()[:8]
    again = "" if number == 1 else f"-{number}"
    return f"{folder_name(node.name)}-{digest}{again}"
