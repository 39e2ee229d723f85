"""Checks the certificate of a bug against the task, and trusts no one.

This file uses the standard library only and shares no code with the rest of Bugsieve, so that a
mistake there cannot hide a mistake in a certificate. It also runs alone: `python -I -m
bugsieve.checkers.cost TASK.sas BUG.json`. What the rules of the objective `rules:…` say of a run
is read by code that is handed in. `bugsieve.rooms.rules.checker.cost_rules` has it, of the same
kind, and runs alone as this does. It cannot know the name of the task and which policy was tested.
It takes the policy's run as claimed where no simulation can tell: that the policy gave no action,
chose the one it names, or crashed. Of a bug's other fields it checks `id`, `kind` and the path by
which it was found; `oracle`, `reason` and `exact` are the words of who wrote them.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite
from types import MappingProxyType
from typing import Any, NamedTuple, NoReturn, Protocol, TypeAlias

VERSION = 1
ID_LENGTH = 12

Fact: TypeAlias = tuple[int, int]
State: TypeAlias = tuple[int, ...]

_STUCK = ("loop", "no action", "illegal action", "policy crash")
_CUT, _HANG = "step limit", "policy hang"
_CONDITION_MET, _VIOLATED = "condition met", "rule violated"
_ENDINGS = ("solved", *_STUCK, _CUT, _HANG, _CONDITION_MET, _VIOLATED)

_KEYS = (
    *("certificate", "kind", "task", "objective", "policy", "state", "facts", "run", "plan"),
    *("policy_value", "value", "gap"),
)
_OPTIONAL_KEYS = ("network",)
_NO_NETWORK = "0" * 64
_TASK_KEYS = ("name", "sha256")
_OPTIONAL_TASK_KEYS = ("unit_cost",)
_PLAN_KEYS = ("operators", "actions", "cost")
_BUG_KEYS = ("id", "kind", "oracle", "reason", "exact", "found_by", "certificate")
_ORIGIN_KEYS = ("index", "walk", "path")
_RUN_KEYS = (*_PLAN_KEYS, "ending", "loop_start", "chosen", "detail")
_OPTIONAL_RUN_KEYS = ("follows_plan", "avoids_visited", "chances", "rules", "raised_at")
_SCALE = 10**12
"""Probabilities in the rows of `chances` are whole numbers of its inverse."""


class CertificateError(ValueError):
    """The certificate proves nothing; the sentence says why."""


class RunRules(Protocol):
    """The rules of an objective on one task, and what they say of runs."""

    def word(self, states: Sequence[State], operators: Sequence[int]) -> list[frozenset[str]]:
        """Return what holds in each state of a run."""
        ...

    def settled(self, word: Sequence[frozenset[str]]) -> list[str]:
        """Return the rules that no run keeps which begins so."""
        ...

    def violated(self, word: Sequence[frozenset[str]]) -> list[str]:
        """Return the rules that a run violates which ends there."""
        ...

    def violated_for_ever(self, word: Sequence[frozenset[str]], loop_start: int) -> list[str]:
        """Return the rules that a loop violates."""
        ...


RulesReader: TypeAlias = "Callable[[str, Task, Callable[[], None]], RunRules]"
"""Reads the text of an objective for a task; it calls `poll` on the way."""
RULES = "rules"
"""The name of the objective whose rules are read by what is handed in."""
NO_READERS: Mapping[str, RulesReader] = MappingProxyType({})


def check(
    sas_text: str, certificate: Mapping[str, Any], readers: Mapping[str, RulesReader] = NO_READERS
) -> None:
    """Return if the certificate proves a bug of the task, else raise CertificateError."""
    Checker(sas_text, readers).check(certificate)


def check_bug(
    sas_text: str, data: Mapping[str, Any], readers: Mapping[str, RulesReader] = NO_READERS
) -> None:
    """Return if the bug (as `Bug.to_json` writes it) is proven, else raise CertificateError."""
    Checker(sas_text, readers).check_bug(data)


def bug_id(certificate: Mapping[str, Any]) -> str:
    """The same for every plan that proves the state a bug, and for every file of a network."""
    policy = certificate.get("network", certificate["policy"])
    parts = [certificate["task"]["sha256"], certificate["objective"], policy]
    parts += [certificate["state"]]
    text = json.dumps(parts, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:ID_LENGTH]


def read_json(text: str) -> Any:
    """JSON in which no key is there twice: readers differ in which of the two they believe."""
    return json.loads(text, object_pairs_hook=_object)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        repeated = next(key for key in keys if keys.count(key) > 1)
        _fail(f"the key {repeated[:40]!r} is there twice in one object")
    return found


class Checker:
    """Checks many certificates of one task, whose text it reads once.

    `readers` read rules, by the name of their objective: without its reader no rule is accepted.
    `poll` is called on the way, again and again; it may raise to end the work.
    """

    def __init__(
        self,
        sas_text: str,
        readers: Mapping[str, RulesReader] = NO_READERS,
        *,
        poll: Callable[[], None] = lambda: None,
    ) -> None:
        if not isinstance(sas_text, str):
            _fail("the task must be given as text")
        self._text = sas_text
        self._digest = hashlib.sha256(sas_text.encode("utf-8", "surrogatepass")).hexdigest()
        self._task: Task | None = None
        self._readers = readers
        self._poll = poll

    def check_bug(self, data: Mapping[str, Any]) -> None:
        """Return if the bug's certificate proves it, and its other fields do not belie that."""
        bug = _mapping(data, "the bug", _BUG_KEYS)
        certificate = bug["certificate"]
        self.check(certificate)
        for key in ("oracle", "reason"):
            _text(bug[key], f"'{key}'")
        if type(bug["exact"]) is not bool:
            _fail("'exact' must be true or false")
        if bug["kind"] != certificate["kind"]:
            _fail(f"the bug is {certificate['kind']}, not what its 'kind' says")
        if bug["id"] != bug_id(certificate):
            _fail(f"the bug's 'id' must be {bug_id(certificate)}")
        if bug["found_by"] is not None:
            self._check_origin(_mapping(bug["found_by"], "'found_by'", _ORIGIN_KEYS), certificate)

    def _check_origin(self, origin: Mapping[str, Any], certificate: Mapping[str, Any]) -> None:
        """The path from the initial state, where there is one, leads to the state of the bug."""
        _number(origin["index"], "the bug's index")
        _number_or_none(origin["walk"], "the bug's walk")
        if origin["path"] is None:
            return
        assert self._task is not None
        state = self._task.initial
        for number in _numbers(origin["path"], "the bug's path"):
            if not 0 <= number < len(self._task.operators):
                _fail(f"the bug's path has no operator {number}")
            if not self._task.operators[number].is_applicable(state):
                _fail("the bug's path cannot be followed from the initial state")
            state = self._task.operators[number].successor(state)
        if list(state) != certificate["state"]:
            _fail("the bug's path does not lead to its state")

    def check(self, certificate: Mapping[str, Any]) -> None:
        """Return if the certificate proves a bug of the task, else raise CertificateError."""
        claim = _read_claim(certificate)
        if claim.digest != self._digest:
            _fail("the certificate belongs to another task: the SHA-256 of the text differs")
        if self._task is None:
            self._task = read_task(self._text, self._poll)
        if claim.unit_cost and self._task.uses_costs:
            _fail("the certificate has every operator cost 1, but the task has costs of its own")
        _Proof(self._task, claim, self._readers, self._poll).check()


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)


# The content of the certificate, once its types are known to be right.


class _Path(NamedTuple):
    what: str
    operators: list[int]
    actions: list[str]
    cost: int


class _Row(NamedTuple):
    """A state in which the policy was asked: its words, and a bound on the probability there."""

    value: int
    weights: list[tuple[int, Fraction]]
    ending: str
    """The ending of every run from there; empty if there are weights."""


class _Claim(NamedTuple):
    kind: str
    digest: str
    unit_cost: bool
    """True if costs of the files that the task came from were left out."""
    objective: str
    state: State
    facts: list[str]
    run: _Path
    ending: str
    loop_start: int | None
    chosen: int | None
    follows_plan: bool
    """True if the policy made a plan in the state, which its run follows to the end."""
    avoids_visited: bool
    """True if the policy never steps to a state that the run has visited."""
    chances: list[_Row | None]
    """The chances of a policy that gives distributions, from the state on; None if not given."""
    rules: list[str]
    """The rules that the run violates."""
    plan: _Path
    values: tuple[Fraction | None, Fraction | None, Fraction | None]
    """Of the policy, of the plan, and the gap between them; None is infinite."""


def _read_claim(certificate: Any) -> _Claim:
    whole = _mapping(certificate, "the certificate", _KEYS, *_OPTIONAL_KEYS)
    if type(whole["certificate"]) is not int or whole["certificate"] != VERSION:
        _fail(f"'certificate' must be {VERSION}, the only version of certificates that is known")
    task = _mapping(whole["task"], "'task'", _TASK_KEYS, *_OPTIONAL_TASK_KEYS)
    run = _mapping(whole["run"], "'run'", _RUN_KEYS, *_OPTIONAL_RUN_KEYS)
    _text(task["name"], "the task's name")
    _only_true(task, "unit_cost")
    _only_true(run, "follows_plan")
    _only_true(run, "avoids_visited")
    if "follows_plan" in run and "avoids_visited" in run:
        _fail("a run that follows a plan avoids no state")
    _text(whole["policy"], "'policy'")
    _check_network(whole.get("network", _NO_NETWORK))
    _text(run["detail"], "the run's detail")
    _text(run.get("raised_at", ""), "where the run crashed")
    by_chance = _is_by_chance(_text(whole["objective"], "'objective'"))
    value = _decimal_or_none if by_chance else _whole_or_none
    return _Claim(
        kind=_text(whole["kind"], "'kind'"),
        digest=_text(task["sha256"], "the task's SHA-256"),
        unit_cost="unit_cost" in task,
        objective=_text(whole["objective"], "'objective'"),
        state=tuple(_numbers(whole["state"], "'state'")),
        facts=_texts(whole["facts"], "'facts'"),
        run=_path(run, "run"),
        ending=_text(run["ending"], "the run's ending"),
        loop_start=_number_or_none(run["loop_start"], "the run's loop_start"),
        chosen=_number_or_none(run["chosen"], "the run's chosen"),
        follows_plan="follows_plan" in run,
        avoids_visited="avoids_visited" in run,
        chances=_chances(run.get("chances", [])),
        rules=_texts(run.get("rules", []), "the rules of the run"),
        plan=_path(_mapping(whole["plan"], "'plan'", _PLAN_KEYS), "plan"),
        values=(
            value(whole["policy_value"], "'policy_value'"),
            value(whole["value"], "'value'"),
            value(whole["gap"], "'gap'"),
        ),
    )


def _check_network(key: Any) -> None:
    if type(key) is not str or not re.fullmatch("[0-9a-f]{64}", key):
        _fail("'network' must be a SHA-256")


def _is_by_chance(objective: str) -> bool:
    return re.fullmatch(r"probability(:[1-9][0-9]{0,3})?", objective) is not None


def _chances(value: Any) -> list[_Row | None]:
    if type(value) is not list:
        _fail("'chances' must be a list")
    return [
        None if row is None else _row(row, f"row {number} of 'chances'")
        for number, row in enumerate(value)
    ]


def _row(value: Any, where: str) -> _Row:
    row = _mapping(value, where, ("value",), "weights", "ending")
    bound = _number(row["value"], f"the value in {where}")
    if not 0 <= bound <= _SCALE:
        _fail(f"the value in {where} must be from 0 to {_SCALE}")
    if ("weights" in row) == ("ending" in row):
        _fail(f"{where} must have either 'weights' or 'ending'")
    if "ending" in row:
        ending = _text(row["ending"], f"the ending in {where}")
        if ending not in _STUCK or ending == "loop":
            _fail(f"the ending in {where} is none by which a policy fails in a state")
        return _Row(bound, [], ending)
    return _Row(bound, _weights(row["weights"], where), "")


def _weights(value: Any, where: str) -> list[tuple[int, Fraction]]:
    if type(value) is not list or not value:
        _fail(f"the weights in {where} must be a list of operators with weights")
    weights = []
    for pair in value:
        if type(pair) is not list or len(pair) != 2:
            _fail(f"the weights in {where} must be pairs of an operator and a weight")
        weight = _decimal(pair[1], f"a weight in {where}")
        if weight <= 0:
            _fail(f"a weight in {where} must be positive")
        weights.append((_number(pair[0], f"an operator in {where}"), weight))
    if len({number for number, _ in weights}) < len(weights):
        _fail(f"an operator has two weights in {where}")
    return weights


def _mapping(value: Any, what: str, keys: Sequence[str], *optional: str) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        _fail(f"{what} must be an object")
    missing = [key for key in keys if key not in value]
    if missing:
        _fail(f"{what} lacks {missing[0]!r}")
    unknown = [key for key in value if key not in keys and key not in optional]
    if unknown:
        key = unknown[0][:40] if isinstance(unknown[0], str) else ""
        _fail(f"{what} has the unknown key '{key}'")
    return dict(value)


def _only_true(value: Mapping[str, Any], key: str) -> None:
    """Accept only true: false is left out, so that there is one way to say it."""
    if value.get(key, True) is not True:
        _fail(f"'{key}' must be true or left out")


def _path(value: dict[str, Any], what: str) -> _Path:
    operators = _numbers(value["operators"], f"the operators of the {what}")
    actions = _texts(value["actions"], f"the actions of the {what}")
    if len(operators) != len(actions):
        _fail(f"the {what} has {len(operators)} operators but {len(actions)} actions")
    return _Path(what, operators, actions, _number(value["cost"], f"the cost of the {what}"))


def _text(value: Any, what: str) -> str:
    if type(value) is not str:
        _fail(f"{what} must be a text")
    return str(value)


def _number(value: Any, what: str) -> int:
    if not _is_number(value):
        _fail(f"{what} must be a whole number of at most 64 bits")
    return int(value)


def _is_number(value: Any) -> bool:
    """A bool is not a number here, and NaN is a float."""
    return type(value) is int and abs(value) < 2**63


def _number_or_none(value: Any, what: str) -> int | None:
    return None if value is None else _number(value, what)


def _whole_or_none(value: Any, what: str) -> Fraction | None:
    return None if value is None else Fraction(_number(value, what))


def _decimal(value: Any, what: str) -> Fraction:
    """A number as the decimal that is written down."""
    if type(value) is not float:
        return Fraction(_number(value, what))
    if not isfinite(value):
        _fail(f"{what} must be a number")
    return Fraction(repr(value))


def _decimal_or_none(value: Any, what: str) -> Fraction | None:
    return None if value is None else _decimal(value, what)


def _numbers(value: Any, what: str) -> list[int]:
    if type(value) is not list or not all(map(_is_number, value)):
        _fail(f"{what} must be a list of whole numbers of at most 64 bits")
    return list(value)


def _texts(value: Any, what: str) -> list[str]:
    if type(value) is not list or not all(type(item) is str for item in value):
        _fail(f"{what} must be a list of texts")
    return list(value)


# The task.


class Effect(NamedTuple):
    """Sets a variable where all conditions hold before the operator."""

    conditions: tuple[Fact, ...]
    variable: int
    value: int


class Operator(NamedTuple):
    """A ground action; old values in effects are among its preconditions."""

    name: str
    preconditions: tuple[Fact, ...]
    effects: tuple[Effect, ...]
    cost: int

    @property
    def action(self) -> str:
        """The name as plans have it: lower case, in parentheses, single spaces."""
        inner = self.name.lower().strip().removeprefix("(").removesuffix(")")
        return f"({' '.join(inner.split())})"

    def is_applicable(self, state: State) -> bool:
        """Return true if all preconditions hold."""
        return _holds(self.preconditions, state)

    def successor(self, state: State) -> State:
        """Conditions are tested before anything changes; of two effects the later one wins."""
        # A copy: conditions of later effects must see the state as it was before the operator.
        after = list(state)
        for conditions, variable, value in self.effects:
            if _holds(conditions, state):
                after[variable] = value
        return tuple(after)


class Task(NamedTuple):
    """A ground planning task."""

    atoms: list[list[str | None]]
    """For each variable and value its PDDL atom, None for a value that stands for no atom."""
    initial: State
    goal: tuple[Fact, ...]
    operators: list[Operator]
    uses_costs: bool

    def facts(self, state: State) -> list[str]:
        """The PDDL atoms of the state, sorted."""
        found = {self.atoms[variable][value] for variable, value in enumerate(state)}
        return sorted(atom for atom in found if atom is not None)


def read_task(sas_text: str, poll: Callable[[], None] = lambda: None) -> Task:
    """The task in a text of the translator's format; CertificateError if it is malformed."""
    return _SasReader(sas_text, poll).task()


def _holds(facts: Sequence[Fact], state: State) -> bool:
    return all(state[variable] == value for variable, value in facts)


def _atom_of(name: str) -> str | None:
    """`(on a b)` for the value name `Atom on(a, b)`."""
    matched = re.fullmatch(r"Atom ([^(]*)\((.*)\)", name)
    if matched is None:
        return None
    words = [matched[1], *matched[2].split(", ")]
    return f"({' '.join(word for word in map(str.strip, words) if word)})".lower()


class _SasReader:
    """Reads version 3 of the translator's format, without axioms."""

    _NUMBER = re.compile(r"-?[0-9]{1,18}")

    def __init__(self, text: str, poll: Callable[[], None] = lambda: None) -> None:
        self.lines = text.split("\n")
        self.poll = poll
        self.place = 0
        self.atoms: list[list[str | None]] = []

    def task(self) -> Task:
        self.section("version", lambda: self.wanted(self.number(), 3, "version 3"))
        uses_costs = self.section("metric", lambda: self.number()) != 0
        for _ in range(self.number()):
            self.section("variable", self.variable)
        for _ in range(self.number()):
            self.section("mutex_group", self.facts)
        initial = self.section("state", lambda: [self.value(v) for v in range(len(self.atoms))])
        goal = self.section("goal", self.facts)
        operators = [
            self.section("operator", lambda: self.operator(uses_costs))
            for _ in range(self.number())
        ]
        self.wanted(self.number(), 0, "no axioms")
        if "".join(self.lines[self.place :]).strip():
            self.fail("the task is complete, but the text goes on")
        return Task(self.atoms, tuple(initial), goal, operators, uses_costs)

    def section(self, name: str, content: Any) -> Any:
        self.poll()
        self.wanted(self.line(), f"begin_{name}", f"begin_{name}")
        read = content()
        self.wanted(self.line(), f"end_{name}", f"end_{name}")
        return read

    def line(self) -> str:
        if self.place >= len(self.lines):
            self.fail("the text ends too early")
        self.place += 1
        return self.lines[self.place - 1]

    def number(self) -> int:
        numbers = self.numbers()
        if len(numbers) != 1:
            self.fail("one whole number was expected")
        return numbers[0]

    def numbers(self) -> list[int]:
        words = self.line().split(" ")
        if not all(self._NUMBER.fullmatch(word) for word in words):
            self.fail("whole numbers were expected")
        return [int(word) for word in words]

    def wanted(self, found: object, expected: object, what: str) -> None:
        if found != expected:
            self.fail(f"{what} was expected")

    def fail(self, sentence: str) -> NoReturn:
        _fail(f"the task is malformed in line {self.place}: {sentence}")

    def variable(self) -> None:
        self.line()
        self.wanted(self.number(), -1, "a variable without axioms")
        self.atoms.append([_atom_of(self.line()) for _ in range(self.number())])

    def value(self, variable: int) -> int:
        return self.fact(variable, self.number())[1]

    def fact(self, variable: int, value: int) -> Fact:
        if not (0 <= variable < len(self.atoms) and 0 <= value < len(self.atoms[variable])):
            self.fail(f"variable {variable} with value {value} does not exist")
        return variable, value

    def facts(self) -> tuple[Fact, ...]:
        return tuple(self.pair() for _ in range(self.number()))

    def pair(self) -> Fact:
        numbers = self.numbers()
        if len(numbers) != 2:
            self.fail("a variable and a value were expected")
        return self.fact(numbers[0], numbers[1])

    def operator(self, uses_costs: bool) -> Operator:
        name = self.line()
        preconditions = list(self.facts())
        effects = tuple(self.effect(preconditions) for _ in range(self.number()))
        cost = self.number()
        if cost < 0:
            self.fail("a cost must not be negative")
        return Operator(name, tuple(preconditions), effects, cost if uses_costs else 1)

    def effect(self, preconditions: list[Fact]) -> Effect:
        """An old value in an effect is a precondition of the whole operator."""
        count, *numbers = self.numbers()
        if len(numbers) != 2 * count + 3:
            self.fail("an effect was expected")
        pairs = zip(numbers[0 : 2 * count : 2], numbers[1 : 2 * count : 2], strict=True)
        conditions = tuple(self.fact(variable, value) for variable, value in pairs)
        variable, before, after = numbers[-3:]
        if before != -1:
            preconditions.append(self.fact(variable, before))
        return Effect(conditions, *self.fact(variable, after))


# Conditions on facts, for the objective "avoid:CONDITION".


class _Condition:
    """A formula of atoms, `and`, `or` and `not` as steps of a stack machine."""

    def __init__(self, text: str, task: Task) -> None:
        self._facts: dict[str, list[Fact]] = {}
        for variable, atoms in enumerate(task.atoms):
            for value, atom in enumerate(atoms):
                if atom is not None:
                    self._facts.setdefault(atom, []).append((variable, value))
        self._steps: list[tuple[str, Any]] = []
        self._read(re.findall(r"[()]|[^\s()]+", text.lower()))

    def _read(self, tokens: list[str]) -> None:
        blocks: list[tuple[list[str], list[None]]] = [([], [])]  # words and inner formulas
        for token in tokens:
            if token == "(":
                blocks.append(([], []))
            elif token != ")":
                blocks[-1][0].append(token)
            elif len(blocks) == 1:
                _fail("the condition has a ')' that closes nothing")
            else:
                words, inner = blocks.pop()
                self._close(words, len(inner))
                blocks[-1][1].append(None)
        words, inner = blocks[0]
        if len(blocks) != 1 or words or len(inner) != 1:
            _fail("the condition must be one formula in parentheses")

    def _close(self, words: list[str], count: int) -> None:
        if words in (["and"], ["or"], ["not"]):
            if count == 0 or (words == ["not"] and count != 1):
                _fail(f"'{words[0]}' of the condition joins the wrong number of formulas")
            self._steps.append((words[0], count))
            return
        atom = f"({' '.join(words)})"
        if count or atom not in self._facts:
            _fail(f"the condition has {atom[:80]}, which is no fact of the task")
        self._steps.append(("atom", self._facts[atom]))

    def holds(self, state: State) -> bool:
        stack: list[bool] = []
        for word, argument in self._steps:
            if word == "atom":
                stack.append(any(state[variable] == value for variable, value in argument))
            elif word == "not":
                stack[-1] = not stack[-1]
            else:
                join = all if word == "and" else any
                stack[-argument:] = [join(stack[-argument:])]
        return stack[0]


# The proof.


class _Proof:
    def __init__(
        self,
        task: Task,
        claim: _Claim,
        readers: Mapping[str, RulesReader],
        poll: Callable[[], None],
    ) -> None:
        self.task = task
        self.claim = claim
        self.readers = readers
        self.poll = poll

    def check(self) -> None:
        # All is simulated anew from the state: that the plan is a plan, and that the policy's
        # actions lead where the run says. What remains is arithmetic on the two paths.
        self._check_state()
        run = self._states(self.claim.run)
        plan = self._states(self.claim.plan)
        if not _holds(self.task.goal, plan[-1]):
            _fail("the plan does not end in a goal state")
        self._check_ending(run)
        objective = self.claim.objective
        if self.claim.chances and not _is_by_chance(objective):
            _fail("distributions count only where the objective is a probability")
        if self.claim.rules and not objective.startswith("rules:"):
            _fail("rules count only where the objective has them")
        if objective.startswith("rules:"):
            self._check_violation(objective.removeprefix("rules:"), run, plan)
        elif objective.startswith("avoid:"):
            self._check_avoidable(
                _Condition(objective.removeprefix("avoid:"), self.task), run, plan
            )
        elif objective == "qualitative":
            self._check_unsolved((0, 1, 1))
        elif _is_by_chance(objective):
            self._check_uncertain(run)
        elif objective != "quantitative":
            _fail(f"there is no objective {objective[:80]!r}")
        # No cost is negative: a run that was cut costs at least what it had cost by then.
        elif self.claim.ending in ("solved", _CUT):
            self._check_costly()
        else:
            self._check_unsolved((None, self.claim.plan.cost, None))

    def _check_state(self) -> None:
        state, atoms = self.claim.state, self.task.atoms
        if len(state) != len(atoms):
            _fail(f"the state has {len(state)} values, but the task {len(atoms)} variables")
        for variable, value in enumerate(state):
            if not 0 <= value < len(atoms[variable]):
                _fail(f"variable {variable} of the state has no value {value}")
        if self.claim.facts != self.task.facts(state):
            _fail("the facts are not those of the state, in sorted order")

    def _states(self, path: _Path) -> list[State]:
        """The states along a path, whose names and cost must agree."""
        states = [self.claim.state]
        cost = 0
        for step, (number, action) in enumerate(zip(path.operators, path.actions, strict=True)):
            self.poll()
            where = f"step {step + 1} of the {path.what}"
            if not 0 <= number < len(self.task.operators):
                _fail(f"{where}: there is no operator {number}")
            operator = self.task.operators[number]
            if operator.action != action:
                _fail(f"{where}: operator {number} is {operator.action}, not {action[:80]}")
            if not operator.is_applicable(states[-1]):
                _fail(f"{where}: {action} is not applicable")
            states.append(operator.successor(states[-1]))
            cost += operator.cost
        if cost != path.cost:
            _fail(f"the {path.what} costs {cost}, not {path.cost}")
        return states

    def _check_ending(self, states: list[State]) -> None:
        ending = self.claim.ending
        if ending not in _ENDINGS:
            _fail(f"no run ends by {ending[:40]!r}")
        # More time, or more steps at any cost, could have led to the goal.
        if ending == _HANG or (ending == _CUT and self.claim.objective != "quantitative"):
            _fail(f"a run that ended by {ending} proves nothing")
        self._check_loop(states)
        self._check_choice(states[-1])
        goals = [step for step, state in enumerate(states) if _holds(self.task.goal, state)]
        last = len(states) - 1
        # A run stops in the first goal state it meets. One that went on would be dearer than the
        # policy's, and one that is called stuck behind a goal would not be a failure.
        if ending == "solved" and goals != [last]:
            _fail("a solved run must end in its first goal state")
        if ending in (*_STUCK, _CUT) and goals:
            _fail(f"the run reaches the goal after {goals[0]} steps and ends there")
        if ending in (_CONDITION_MET, _VIOLATED) and goals not in ([], [last]):
            what = "the condition holds" if ending == _CONDITION_MET else "a rule is violated"
            _fail(f"the run ends in the goal after {goals[0]} steps, before {what}")

    def _check_loop(self, states: list[State]) -> None:
        if self.claim.follows_plan:
            # A plan knows how far it is: it may pass a state twice, and ends by itself.
            if self.claim.ending == "loop" or self.claim.loop_start is not None:
                _fail("a run that follows a plan goes round in no loop")
            return
        if self.claim.avoids_visited:
            self._check_avoidance(states)
        first: dict[State, int] = {}
        # A deterministic policy that is back in a state goes round for ever. So a run ends at its
        # first repetition, and the repetition is what proves that it never reaches the goal.
        for step, state in enumerate(states[:-1]):
            if state in first:
                _fail(f"the run is back after {step} steps where it was before, but goes on")
            first[state] = step
        if self.claim.ending != "loop":
            # A rule may ask for the action that leads there, which differs the second time.
            if states[-1] in first and self.claim.ending != _VIOLATED:
                _fail("the run ends where it was before, which is a loop")
            if self.claim.loop_start is not None:
                _fail("a run that is no loop must have no loop_start")
        elif first.get(states[-1]) != self.claim.loop_start or self.claim.loop_start is None:
            _fail("the last state of the loop is not the one that loop_start says")

    def _check_avoidance(self, states: list[State]) -> None:
        """Refute a claim only by a repetition, as what the policy did earlier counts."""
        if self.claim.ending == "loop":
            _fail("a run that avoids visited states goes round in no loop")
        if self.claim.ending != "no action":
            return
        visited, last = set(states), states[-1]
        for operator in self.task.operators:
            if operator.is_applicable(last) and operator.successor(last) not in visited:
                _fail(f"the run ends though {operator.action} leads to a state not visited before")

    def _check_choice(self, last: State) -> None:
        chosen, operators = self.claim.chosen, self.task.operators
        if self.claim.ending != "illegal action":
            if chosen is not None:
                _fail("only a run that ended by an illegal action has a chosen one")
        elif chosen is None:
            _fail("the illegal action that was chosen is missing")
        # A number that does not belong to an operator is illegal as well.
        elif 0 <= chosen < len(operators) and operators[chosen].is_applicable(last):
            _fail(f"operator {chosen} is applicable where it is called illegal")

    def _check_unsolved(self, values: tuple[int | None, int, int | None]) -> None:
        if self.claim.ending not in _STUCK:
            _fail(f"a run that ended by '{self.claim.ending}' is no unsolved one")
        self._check_verdict("unsolved", values)

    def _check_costly(self) -> None:
        policy, plan = self.claim.run.cost, self.claim.plan.cost
        if plan >= policy:
            _fail(f"the plan costs {plan}, no less than the policy's run, which costs {policy}")
        self._check_verdict("costly", (policy, plan, policy - plan))

    def _check_uncertain(self, run: list[State]) -> None:
        """The policy reaches the goal with no greater probability than the first row says."""
        looks_back = self.claim.follows_plan or self.claim.avoids_visited
        if self.claim.ending not in _STUCK or looks_back:
            _fail("the run must show how a policy that looks at the state alone may fail")
        met = self._check_bounds()
        self._check_shown(run, met)
        first = self.claim.chances[0]
        if first is None or first.value >= _SCALE:
            _fail("the policy may reach the goal for certain: no bound below 1 is given")
        bound = Fraction(first.value, _SCALE)
        self._check_verdict("uncertain" if bound else "unsolved", (bound, 1, 1 - bound))

    def _check_bounds(self) -> dict[State, int]:
        """The states that the rows are about, in their order.

        The probability of reaching the goal is the least solution of v(s) = sum of p(a) v(s after
        a) that is 1 in goals. Values that are nowhere less than the right side are nowhere less
        than that solution; states without a row count as 1, and those of rows that end as 0.
        """
        met, targets = self._met()
        for number, (row, places) in enumerate(zip(self.claim.chances, targets, strict=True)):
            self.poll()
            if row is None or not row.weights:
                continue
            given = sum(
                weight * (_SCALE if place is None else _bound(self.claim.chances[place]))
                for (_, weight), place in zip(row.weights, places, strict=True)
            )
            if given > row.value * sum(weight for _, weight in row.weights):
                _fail(f"the value in row {number} of 'chances' is less than its successors give")
        return met

    def _met(self) -> tuple[dict[State, int], list[list[int | None]]]:
        """The states that the policy can come to, each with its row, and those after each.

        A state has the next row when an action first leads to it, and goals, None, have none.
        """
        rows, waiting = self.claim.chances, [self.claim.state]
        met = {self.claim.state: 0}
        targets: list[list[int | None]] = []
        for number, row in enumerate(rows):
            self.poll()
            if number >= len(waiting):
                _fail("'chances' has more rows than states that the policy can come to")
            targets.append([])
            for operator, _ in [] if row is None else row.weights:
                after = self._after(waiting[number], operator, number)
                is_goal = _holds(self.task.goal, after)
                if not is_goal and after not in met:
                    met[after] = len(waiting)
                    waiting.append(after)
                targets[-1].append(None if is_goal else met[after])
        if len(rows) < len(waiting):
            _fail("'chances' lacks the row of a state that the policy can come to")
        return met, targets

    def _after(self, state: State, number: int, row: int) -> State:
        if not 0 <= number < len(self.task.operators):
            _fail(f"row {row} of 'chances': there is no operator {number}")
        if not self.task.operators[number].is_applicable(state):
            _fail(f"row {row} of 'chances': operator {number} is not applicable")
        return self.task.operators[number].successor(state)

    def _check_shown(self, run: list[State], met: Mapping[State, int]) -> None:
        """The run does what the rows say may happen, as far as there are rows."""
        rows = self.claim.chances
        for state, operator in zip(run, self.claim.run.operators, strict=False):
            row = rows[met[state]] if state in met else None
            if row is not None and operator not in [number for number, _ in row.weights]:
                _fail("the run does what the policy never does in a state of 'chances'")
        last = rows[met[run[-1]]] if run[-1] in met else None
        if last is not None and last.ending != self.claim.ending.replace("loop", ""):
            _fail("the run ends otherwise than the last row on its way says")

    def _check_avoidable(self, condition: _Condition, run: list[State], plan: list[State]) -> None:
        if self.claim.ending != _CONDITION_MET:
            _fail(f"a run that ended by '{self.claim.ending}' shows nothing to avoid")
        # Met at the end and nowhere before: a longer run would blame decisions after the damage.
        if [condition.holds(state) for state in run] != [False] * (len(run) - 1) + [True]:
            _fail("the run must end in the first state in which the condition holds")
        if any(condition.holds(state) for state in plan):
            _fail("the condition holds in a state of the plan as well")
        self._check_verdict("avoidable", (0, 1, 1))

    def _check_violation(self, text: str, run: list[State], plan: list[State]) -> None:
        """The run violates rules as its ending lets it be read, and the plan keeps all."""
        if RULES not in self.readers:
            _fail(
                "rules are checked by "
                "'python -I -m bugsieve.rooms.rules.checker.cost_rules TASK.sas BUG.json'"
            )
        rules, ending = self.readers[RULES](text, self.task, self.poll), self.claim.ending
        word = rules.word(run, self.claim.run.operators)
        settled = rules.settled(word)
        if ending == _VIOLATED:
            # At the end and not before: a longer run would blame decisions after the damage.
            if not settled or (len(word) > 1 and rules.settled(word[:-1])):
                _fail("the run must end in the first state that settles a violation")
            found = settled
        elif settled:
            _fail("the run goes on, or ends, where a violation is settled")
        elif ending == "solved" and len(run) > 1:
            found = rules.violated(word)
        elif ending == "loop" and self.claim.loop_start is not None:
            found = rules.violated_for_ever(word, self.claim.loop_start)
        else:
            _fail(f"a run that ended by '{ending}' violates no rule for good")
        if not found or found != self.claim.rules:
            _fail("the rules that the run violates are others than those it names")
        if rules.violated(rules.word(plan, self.claim.plan.operators)):
            _fail("the plan violates a rule as well")
        self._check_verdict(_VIOLATED, (0, 1, 1))

    def _check_verdict(
        self, kind: str, values: tuple[Fraction | int | None, int, Fraction | int | None]
    ) -> None:
        if self.claim.kind != kind:
            _fail(f"the bug is {kind}, not {self.claim.kind[:40]}")
        for name, claimed, right in zip(
            ("policy_value", "value", "gap"), self.claim.values, values, strict=True
        ):
            if claimed != right:
                _fail(f"{name} must be {_shown(right)}, not {_shown(claimed)}")


def _bound(row: _Row | None) -> int:
    return _SCALE if row is None else row.value


def _shown(value: Fraction | int | None) -> str:
    if value is None:
        return "null"
    return str(int(value)) if value == int(value) else str(float(value))


def main(
    arguments: Sequence[str],
    readers: Mapping[str, RulesReader] = NO_READERS,
    *,
    module: str = "bugsieve.checkers.cost",
) -> int:
    """Check the bug or the certificate in a JSON file; 0 if it is proven, else 4."""
    if len(arguments) != 2:
        print(f"usage: python -I -m {module} TASK.sas BUG.json", file=sys.stderr)
        return 4
    try:
        with open(arguments[0], encoding="utf-8", newline="") as file:
            text = file.read()
        with open(arguments[1], encoding="utf-8") as file:
            content = read_json(file.read())
        # A certificate has its version under the key where a bug has the certificate.
        is_bug = isinstance(content, dict) and isinstance(content.get("certificate"), dict)
        (check_bug if is_bug else check)(text, content, readers)
    except (OSError, ValueError, RecursionError) as error:
        print(f"rejected: {visible(str(error))}", file=sys.stderr)
        return 4
    print("accepted: the certificate proves a bug")
    return 0


def visible(text: str) -> str:
    """A foreign text without characters that a terminal obeys."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
