"""Rules of one task as a text of their own, which needs no file: what campaigns keep.

The text is JSON: `{"atoms": {NAME: CONDITION, …}, "rules": [[ID, KIND, FORMULA], …]}`. Conditions
are ground PDDL over facts that change, `and`, `or`, `not`, and `(did (action object …) …)`. A text
may come from a stranger, so that everything about it is checked.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NoReturn, TypeAlias

from bugsieve.base.errors import BugsieveError, InputError
from bugsieve.rooms.rules.engine.conditions import Condition
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.tasks.grounded.task import Task

Kind: TypeAlias = Literal["desired", "forbidden"]
KINDS: tuple[Kind, ...] = ("desired", "forbidden")

MAX_CHARACTERS = 4_000_000
MAX_RULES = 10_000
MAX_DEPTH = 200

_TOKEN = re.compile(r"[()]|[^\s()]+")
_INSTANCE = re.compile(r"\[([^\[\]]*)\]$")
_NAME = re.compile(r"[A-Za-z_](?:[A-Za-z0-9_]|-(?!>))*(?:\([A-Za-z0-9_][A-Za-z0-9_,-]*\))?")


@dataclass(frozen=True)
class GroundRule:
    """A rule for certain objects of a task."""

    id: str
    kind: Kind
    formula: Formula

    @property
    def requirement(self) -> Formula:
        """The formula that must hold of a run."""
        return self.formula if self.kind == "desired" else ~self.formula


@dataclass(frozen=True)
class RuleSet:
    """Rules of a task and the atoms they are about."""

    rules: tuple[GroundRule, ...]
    atoms: Mapping[str, Condition]
    text: str
    """All of this, for `read_rule_set`."""


def rule_set_of(
    task: Task, rules: Iterable[GroundRule], atoms: Mapping[str, Condition]
) -> RuleSet:
    """The rules with those of the atoms that they use."""
    found = tuple(rules)
    used = sorted({name for rule in found for name in atoms_of(rule.formula)})
    content = {
        "atoms": {name: condition_text(task, atoms[name]) for name in used},
        "rules": [[rule.id, rule.kind, to_text(rule.formula)] for rule in found],
    }
    return read_rule_set(json.dumps(content, separators=(",", ":")), task)


def read_rule_set(text: str, task: Task) -> RuleSet:
    """The rules that a text holds, or an InputError that says what is wrong with it."""
    content = _content(text)
    words = _mapping(content["atoms"])
    rules = tuple(_rule(row) for row in _rows(content["rules"]))
    if len({rule.id for rule in rules}) < len(rules):
        _fail("two of them have the same name")
    atoms = {name: _condition(name, words[name], task) for name in sorted(words)}
    for rule in rules:
        unknown = [name for name in atoms_of(rule.formula) if name not in atoms]
        if unknown:
            _fail(f"{rule.id} is about {unknown[0][:80]!r}, which is not said there")
    return RuleSet(rules, atoms, text)


def for_fewer_objects(text: str, task: Task) -> str:
    """The rules of a text for a problem that has fewer objects.

    Those of an object that is gone are gone with it, and an action that is gone is never taken.
    A condition about a fact that is gone stays as it is, and no `read_rule_set` takes it: after
    quantifiers are expanded, it is unknown if it would be true or false.
    """
    content = _content(text)
    rules = [row for row in _rows(content["rules"]) if _objects(row[0]) <= task.objects.keys()]
    used = {name for row in rules for name in atoms_of(_rule(row).formula)}
    atoms = {
        name: _written(_without_actions(_parsed(words), task))
        for name, words in _mapping(content["atoms"]).items()
        if name in used
    }
    return json.dumps({"atoms": atoms, "rules": rules}, separators=(",", ":"))


def _objects(rule: str) -> set[str]:
    """The objects in the name of a rule that has been expanded."""
    found = _INSTANCE.search(rule)
    return set(found[1].split(",")) if found else set()


def _without_actions(block: list[Any], task: Task) -> list[Any]:
    """A condition without the actions that the task does not have, where some are left."""
    parts: list[Any] = [
        part if isinstance(part, str) else _without_actions(part, task) for part in block
    ]
    if parts[:1] != ["did"]:
        return parts
    known = set(task.operator_names)
    left = [part for part in parts[1:] if _is_plain(part) and _written(part) in known]
    return ["did", *left] if left else parts


def _written(block: list[Any]) -> str:
    return f"({' '.join(part if isinstance(part, str) else _written(part) for part in block)})"


def condition_text(task: Task, condition: Condition) -> str:
    """A condition over facts and operators as ground PDDL."""
    if isinstance(condition, bool):
        return "(and)" if condition else "(or)"
    sign = condition[0]
    if sign == "fact":
        return str(task.variables[condition[1]].facts[condition[2]])
    if sign == "did" and not condition[1]:
        return "(or)"
    if sign == "did":
        names = dict.fromkeys(task.operator_names[number] for number in condition[1])
        return f"(did {' '.join(names)})"
    # The facts of several variables may mean one atom.
    parts = dict.fromkeys(condition_text(task, part) for part in condition[1:])
    if len(parts) == 1 and sign != "not":
        return next(iter(parts))
    return f"({sign} {' '.join(parts)})"


def _content(text: str) -> dict[str, Any]:
    if len(text) > MAX_CHARACTERS:
        _fail(f"they have more than {MAX_CHARACTERS} characters")
    try:
        content = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        _fail("they are no JSON")
    if not isinstance(content, dict) or sorted(content) != ["atoms", "rules"]:
        _fail("they have 'atoms' and 'rules', and nothing else")
    return content


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        _fail("a name is there twice")
    return found


def _mapping(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        _fail("'atoms' holds texts")
    strange = [name for name in value if not _NAME.fullmatch(name)]
    if strange:
        _fail(f"{strange[0][:80]!r} is no name of an atom")
    return value


def _rows(value: Any) -> list[list[str]]:
    if not isinstance(value, list) or not 0 < len(value) <= MAX_RULES:
        _fail(f"'rules' is a list of 1 to {MAX_RULES} rules")
    for row in value:
        is_row = isinstance(row, list) and len(row) == 3 and all(isinstance(x, str) for x in row)
        if not is_row or row[1] not in KINDS or not row[0]:
            _fail("a rule is a name, desired or forbidden, and a formula")
    return value


def _rule(row: Sequence[Any]) -> GroundRule:
    name, kind, text = row
    if not name.isprintable() or len(name) > 1000:
        _fail("the name of a rule has characters that cannot be printed, or too many of them")
    return GroundRule(name, kind, read_ltl(text, place=Place(f"rule {name}")))


def _condition(name: str, text: str, task: Task) -> Condition:
    try:
        return _read(_parsed(text), task)
    except BugsieveError as error:
        raise InputError(f"the atom {name[:80]!r}: {error}") from None


def _parsed(text: str) -> list[Any]:
    """The one expression of the text, nested no deeper than `MAX_DEPTH`."""
    levels: list[list[Any]] = [[]]
    for token in _TOKEN.findall(text.lower()):
        if token == "(":
            levels.append([])
        elif token != ")":
            levels[-1].append(token)
        elif len(levels) > 1:
            levels[-2].append(levels.pop())
        else:
            _fail("a ')' closes nothing")
        if len(levels) > MAX_DEPTH:
            _fail(f"a condition is nested more than {MAX_DEPTH} deep")
    if len(levels) > 1 or len(levels[0]) != 1 or isinstance(levels[0][0], str):
        _fail("a condition is one expression in parentheses")
    found: list[Any] = levels[0][0]
    return found


def _read(block: list[Any], task: Task) -> Condition:
    sign, rest = (block[0], block[1:]) if block else ("", [])
    if sign in ("and", "or") and not rest:
        return bool(sign == "and")
    if sign == "did" and rest and all(_is_plain(part) for part in rest):
        names = [f"({' '.join(part)})" for part in rest]
        return ("did", tuple(sorted({n for name in names for n in task.operator_ids(name)})))
    if sign in ("and", "or", "not") and all(isinstance(part, list) for part in rest):
        if sign == "not" and len(rest) != 1:
            _fail("'not' joins one condition")
        return (sign, *(_read(part, task) for part in rest))
    if not _is_plain(block):
        _fail("a condition is an atom, did, and, or, not")
    places = task.places(f"({' '.join(block)})")
    facts = [("fact", int(variable), int(value)) for variable, value in places]
    if not facts:
        _fail(f"({' '.join(block)[:80]}) never changes")
    return facts[0] if len(facts) == 1 else ("or", *facts)


def _is_plain(part: Any) -> bool:
    return isinstance(part, list) and bool(part) and all(isinstance(word, str) for word in part)


def _fail(sentence: str) -> NoReturn:
    raise InputError(f"the rules cannot be read: {sentence}")
