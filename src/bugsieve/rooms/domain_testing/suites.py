"""Suites of domain tests: `*.ptest.json` files of the editor plug-in vscode-pddl, and more.

A suite is data: nothing that it names is executed, and nothing is written.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, get_args

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.base.names import suggest
from bugsieve.base.wording import shown_value
from bugsieve.rooms.rules.scale import Expectation
from bugsieve.tasks.json_text import load_json
from bugsieve.tasks.sources import MEBIBYTE

RULE_EXPECTATIONS = get_args(Expectation)
PLAN_EXPECTATIONS = ("plan-valid", "plan-invalid")
EXPECTATIONS = (*RULE_EXPECTATIONS, "solvable", "unsolvable", *PLAN_EXPECTATIONS)
CRITERIA = ("ufc", "ufc-first", "flip")
VIEWS = ("strong", "neutral", "weak")
BOUNDS = ("minCost", "maxCost", "minLength", "maxLength")

MAX_CASES = 10_000
_MAX_BYTES = 16 * MEBIBYTE
_LARGEST_BOUND = 10**12
_SUITE_KEYS = ("$schema", "defaultDomain", "defaultProblem", "defaultOptions", "cases")
_TEXTS = ("label", "description", "domain", "problem", "options", "rules")
_CASE_KEYS = (
    *_TEXTS,
    *("expectedPlans", "preProcess", "expect", "requirement", "atoms", "criterion", "view"),
    *("goalConstrained", "goal-constrained", "tags", *BOUNDS),
)
_RULE_KEYS = ("kind", "forall", "ltl", "english", "pattern", "p", "s", "k", "scope", "q", "r")


@dataclass(frozen=True)
class Bounds:
    """The bounds on cost and number of actions: of a best plan, or of the plans given."""

    min_cost: int | None = None
    max_cost: int | None = None
    min_length: int | None = None
    max_length: int | None = None

    @property
    def on_cost(self) -> bool:
        """Return true if costs are bounded."""
        return self.min_cost is not None or self.max_cost is not None

    @property
    def on_length(self) -> bool:
        """Return true if numbers of actions are bounded."""
        return self.min_length is not None or self.max_length is not None


@dataclass(frozen=True)
class Case:
    """One test: a task and what is expected of it."""

    number: int
    label: str
    description: str
    domain: Path
    problem: Path
    expect: str
    plans: tuple[Path, ...]
    bounds: Bounds
    requirement: str | Mapping[str, Any] | None
    atoms: Mapping[str, str]
    rules: Path | None
    criterion: str
    view: str | None
    with_goal: bool
    tags: tuple[str, ...]

    @property
    def title(self) -> str:
        """The name of the case in results."""
        return f"case {self.number} ({self.label})"


@dataclass(frozen=True)
class Suite:
    """The cases of one file."""

    path: Path
    domain: Path | None
    """The default domain."""
    cases: tuple[Case, ...]

    def tagged(self, tags: Collection[str]) -> Suite:
        """The cases that have one of the tags; all if none is named."""
        kept = tuple(case for case in self.cases if not tags or set(tags) & set(case.tags))
        return Suite(self.path, self.domain, kept)


def read_suite(path: str | os.PathLike[str]) -> Suite:
    """The content of a suite; InputError where it is wrong."""
    return _Reader(Path(path)).read()


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.place = ""

    def fail(self, sentence: str) -> NoReturn:
        raise InputError(f"{self.path}: {self.place}{sentence}")

    def read(self) -> Suite:
        content = load_json(self.path, kind="suite", max_bytes=_MAX_BYTES)
        if not isinstance(content, dict):
            self.fail("a suite is an object with 'cases'")
        self._known(content, _SUITE_KEYS, "a suite")
        cases = content.get("cases")
        if not isinstance(cases, list):
            self.fail("'cases' must be a list of objects")
        if len(cases) > MAX_CASES:
            self.fail(f"has {len(cases)} cases, more than {MAX_CASES}, the limit")
        defaults = {
            key.removeprefix("default").lower(): self._text(content, key)
            for key in ("defaultDomain", "defaultProblem")
        }
        domain = defaults["domain"]
        default = None if domain is None else self._path(domain, "defaultDomain")
        read = [self._case(number, case, defaults) for number, case in enumerate(cases, start=1)]
        return Suite(self.path, default, tuple(read))

    def _case(self, number: int, data: Any, defaults: Mapping[str, str | None]) -> Case:
        self.place = f"case {number}: "
        if not isinstance(data, dict):
            self.fail(f"must be an object, not {shown_value(data)}")
        self._known(data, _CASE_KEYS, "a case")
        self._refuse_programs(data)
        texts = {key: self._text(data, key) for key in _TEXTS}
        files = {key: texts[key] or defaults.get(key) for key in ("domain", "problem")}
        domain, problem = (self._required_path(files[key], key) for key in files)
        plans = tuple(
            self._path(name, "expectedPlans") for name in self._list(data, "expectedPlans")
        )
        case = Case(
            number,
            texts["label"] or problem.name,
            texts["description"] or "",
            domain,
            problem,
            self._expectation(data),
            plans,
            self._bounds(data),
            self._requirement(data),
            self._atoms(data),
            None if texts["rules"] is None else self._path(texts["rules"], "rules"),
            self._choice(data, "criterion", CRITERIA) or "ufc",
            self._choice(data, "view", VIEWS),
            self._flag(data),
            tuple(self._list(data, "tags")),
        )
        self._check_together(case, data)
        self.place = ""
        return case

    def _known(self, data: Mapping[str, Any], known: Collection[str], user: str) -> None:
        for key in data:
            if key not in known:
                self.fail(f"{user} has no key {key[:80]!r}{suggest(key[:80], known)}")

    def _refuse_programs(self, data: Mapping[str, Any]) -> None:
        if data.get("preProcess") is not None:
            raise UnsupportedError(
                f"{self.path}: {self.place}uses 'preProcess', which runs programs or templates; "
                "Bugsieve does not: write the problem that it makes into a file"
            )

    def _text(self, data: Mapping[str, Any], key: str) -> str | None:
        value = data.get(key)
        if value is not None and not isinstance(value, str):
            self.fail(f"{key!r} must be a text, not {shown_value(value)}")
        return value or None

    def _list(self, data: Mapping[str, Any], key: str) -> list[str]:
        value = data.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.fail(f"{key!r} must be a list of texts")
        return value

    def _required_path(self, name: str | None, key: str) -> Path:
        if name is None:
            self.fail(f"names no {key}; add {key!r}, or 'default{key.title()}' to the suite")
        return self._path(name, key)

    def _path(self, name: str, key: str) -> Path:
        """A file beside the suite."""
        if os.path.isabs(name) or "\0" in name:
            self.fail(f"{key!r} is {name[:80]!r}; files are named relative to the suite")
        path = Path(os.path.normpath(self.path.parent / name))
        try:
            is_other = path.exists() and not path.is_file()  # a pipe would be waited for
        except OSError as error:
            self.fail(f"{key!r} is {name[:80]!r}, which cannot be a file ({error.strerror})")
        if is_other:
            self.fail(f"{key!r} is {name[:80]!r}, which is no file")
        return path

    def _choice(self, data: Mapping[str, Any], key: str, choices: Collection[str]) -> str | None:
        value = self._text(data, key)
        if value is not None and value not in choices:
            near = suggest(value[:80], choices)
            self.fail(f"{key!r} is {value[:80]!r}{near}; it may be {', '.join(choices)}")
        return value

    def _flag(self, data: Mapping[str, Any]) -> bool:
        for key in ("goalConstrained", "goal-constrained"):
            if key in data:
                if not isinstance(data[key], bool):
                    self.fail(f"{key!r} must be true or false, not {shown_value(data[key])}")
                return bool(data[key])
        return False

    def _bounds(self, data: Mapping[str, Any]) -> Bounds:
        values = []
        for key in BOUNDS:
            value = data.get(key)
            if value is not None and (type(value) is not int or not 0 <= value <= _LARGEST_BOUND):
                self.fail(f"{key!r} must be a whole number, at least 0, not {shown_value(value)}")
            values.append(value)
        cost, length = (values[0], values[1]), (values[2], values[3])
        for (least, most), name in ((cost, "Cost"), (length, "Length")):
            if least is not None and most is not None and least > most:
                self.fail(f"'min{name}' is greater than 'max{name}'")
        return Bounds(*values)

    def _expectation(self, data: Mapping[str, Any]) -> str:
        given = self._choice(data, "expect", EXPECTATIONS)
        if given is not None:
            return given
        if data.get("requirement") is not None or data.get("rules") is not None:
            return "holds"
        return "plan-valid" if data.get("expectedPlans") else "solvable"

    def _requirement(self, data: Mapping[str, Any]) -> str | Mapping[str, Any] | None:
        value = data.get("requirement")
        if value is None or isinstance(value, str):
            return value
        if not isinstance(value, dict):
            self.fail("'requirement' must be a text, or an object with the keys of a rule")
        self._known(value, _RULE_KEYS, "a requirement")
        for key, part in value.items():
            if not isinstance(part, str) and not (key == "k" and type(part) is int):
                self.fail(f"{key!r} of 'requirement' must be a text, not {shown_value(part)}")
        return value

    def _atoms(self, data: Mapping[str, Any]) -> Mapping[str, str]:
        value = data.get("atoms")
        if value is None:
            return {}
        if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
            self.fail("'atoms' must be an object: names to conditions in PDDL")
        return value

    def _check_together(self, case: Case, data: Mapping[str, Any]) -> None:
        has_rules = case.requirement is not None or case.rules is not None
        if case.requirement is not None and case.rules is not None:
            self.fail("has both 'requirement' and 'rules'; make two cases of it")
        if case.expect in RULE_EXPECTATIONS and not has_rules:
            self.fail(f"expects {case.expect!r} but has neither 'requirement' nor 'rules'")
        if has_rules and case.expect not in RULE_EXPECTATIONS:
            self.fail(f"has a requirement, of which {case.expect!r} cannot be expected")
        if case.expect in PLAN_EXPECTATIONS and not case.plans:
            self.fail(f"expects {case.expect!r} but names no plan in 'expectedPlans'")
        if case.expect == "unsolvable" and case.plans:
            self.fail("expects 'unsolvable' and names plans in 'expectedPlans'")
        bounded = [key for key in BOUNDS if data.get(key) is not None]
        if bounded and case.expect not in ("solvable", "plan-valid"):
            self.fail(f"has {bounded[0]!r}, which needs 'solvable' or 'plan-valid'")
        if case.atoms and case.requirement is None:
            self.fail("has 'atoms' but no 'requirement' that could use them")
