"""Files of checks, `*.bugsieve.toml`: problems, and how policies are tested on them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bugsieve.base.arguments import require_text, texts
from bugsieve.base.errors import BugsieveError, InputError
from bugsieve.base.files_and_processes.toml import parse_toml
from bugsieve.campaigns.flat_options import flat_options
from bugsieve.pipeline.objectives import placed_objective
from bugsieve.rooms.regression.check import CheckPlan
from bugsieve.tasks.problem_sets import ProblemFiles, problems_beside
from bugsieve.tasks.sources import MEBIBYTE, read_input

SUFFIX = ".bugsieve.toml"

_MAX_BYTES = MEBIBYTE
_KEYS = ("policy", "domain", "problems", "allow_undecided")


@dataclass(frozen=True)
class CheckFile:
    """The content of the file; paths in it are relative to its folder."""

    path: Path
    policy: str | None
    """None where the file leaves it to the caller of the tests."""
    problems: tuple[ProblemFiles, ...]
    allow_undecided: bool
    table: Mapping[str, Any]
    """The options."""

    @property
    def folder(self) -> str:
        """The folder where its policy is typed."""
        return str(self.path.parent.absolute())

    def plan(self, problem: ProblemFiles, policy: str, folder: str) -> CheckPlan:
        """The check of one problem with a policy that is typed in a folder."""
        place = str(self.path)
        options = flat_options(policy, self.table, place=place, folder=folder, others=_KEYS)
        objective = placed_objective(options.objective, self.folder)
        options = replace(options, objective=objective)
        return CheckPlan(policy, options, {problem.name: problem}, self.allow_undecided)


def read_check_file(path: Path) -> CheckFile:
    """The content of the file; InputError with file, place and nearest name where it is wrong."""
    data = read_input(path, kind="TOML", max_bytes=_MAX_BYTES)
    try:
        table = parse_toml(data.decode(), str(path))
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: is no UTF-8 text (byte {error.start})") from None
    allow_undecided = table.get("allow_undecided", False)
    if not isinstance(allow_undecided, bool):
        raise InputError(f"{path}: allow_undecided must be true or false")
    if "problems" not in table:
        raise InputError(f"{path}: lacks 'problems', a list of files, folders or patterns")
    rest = {key: value for key, value in table.items() if key not in _KEYS}
    try:
        problems = _problems(path, table)
        policy = require_text(table["policy"], "policy") if "policy" in table else None
        found = CheckFile(path, policy, problems, allow_undecided, rest)
        found.plan(problems[0], policy or "", "")
    except InputError:
        raise
    except BugsieveError as error:
        raise InputError(f"{path}: {error}") from None
    return found


def _problems(path: Path, table: Mapping[str, Any]) -> tuple[ProblemFiles, ...]:
    folder = path.parent
    given = [os.path.join(folder, name) for name in texts(table["problems"], "problems")]
    domain = None
    if "domain" in table:
        domain = os.path.join(folder, require_text(table["domain"], "domain"))
    if not given:
        raise InputError(f"{path}: names no problem")
    return problems_beside(given, domain)
