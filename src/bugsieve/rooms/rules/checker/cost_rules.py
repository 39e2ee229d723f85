"""The objective `rules:…` for the checker of cost testing: which rules a run violates.

The text of the objective holds the rules: `{"atoms": {NAME: CONDITION, …}, "rules": [[ID, KIND,
FORMULA], …]}`. Conditions are ground PDDL over facts, `and`, `or`, `not` and
`(did (action object …) …)`, true in the state into which one of the actions led.

`python -I -m bugsieve.rooms.rules.checker.cost_rules TASK.sas BUG.json` checks a bug as
`checkers.cost` does, of this objective as of all others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

if __package__ in (None, ""):  # run as a file: its neighbours are found from the source folder
    sys.path[0] = str(Path(__file__).resolve().parents[4])

from bugsieve.checkers.cost import RULES, CertificateError, Fact, State, Task, main, read_json
from bugsieve.rooms.rules.checker.rules_formulas import ATOM_NAME, RESERVED, Formulas

MAX_TEXT = 4_000_000

Letter = frozenset[str]


class _Rule(NamedTuple):
    name: str
    formulas: Formulas
    kept: int
    """The formula that must hold of a run, in normal form."""
    settled: int
    """The formula that holds of a prefix after which no run keeps the rule."""


class Rules:
    """The rules of an objective on one task."""

    def __init__(self, text: str, task: Task, poll: Callable[[], None] = lambda: None) -> None:
        self._poll = poll
        content = _content(text)
        rules = [_rule(row) for row in content["rules"]]
        if len({rule.name for rule in rules}) < len(rules):
            _fail("two rules of the objective have the same name")
        names = _Names(task)
        self._atoms = {name: _Condition(words, names) for name, words in content["atoms"].items()}
        for rule in rules:
            missing = rule.formulas.atoms(rule.kept, rule.settled) - self._atoms.keys()
            if missing:
                _fail(f"the rule {rule.name[:80]!r} is about an atom that is not said")
        self._rules = rules

    def word(self, states: Sequence[State], operators: Sequence[int]) -> list[Letter]:
        """The letters of a run."""
        letters = []
        for state, operator in zip(states, [None, *operators], strict=True):
            self._poll()
            held = (n for n, condition in self._atoms.items() if condition.holds(state, operator))
            letters.append(frozenset(held))
        return letters

    def settled(self, word: Sequence[Letter]) -> list[str]:
        """The rules that no run with this prefix keeps, by the strong view of their negations."""
        return [r.name for r in self._polled() if r.formulas.holds(r.settled, word)]

    def violated(self, word: Sequence[Letter]) -> list[str]:
        """The rules that the run violates if it ends there."""
        return [r.name for r in self._polled() if not r.formulas.holds(r.kept, word)]

    def violated_for_ever(self, word: Sequence[Letter], loop_start: int) -> list[str]:
        """The rules that a loop violates.

        The state after `loop_start` is reached by the same operator in every round; `loop_start`
        itself is not: what its `did` says belongs to the first visit only.
        """
        return [
            rule.name
            for rule in self._polled()
            if not rule.formulas.holds_on_lasso(rule.kept, word, loop_start + 1)
        ]

    def _polled(self) -> list[_Rule]:
        self._poll()
        return self._rules


def _content(text: str) -> dict[str, Any]:
    if len(text) > MAX_TEXT:
        _fail(f"the rules of the objective have more than {MAX_TEXT} characters")
    try:
        content = read_json(text)
    except (ValueError, RecursionError):
        content = None
    if not isinstance(content, Mapping) or sorted(content) != ["atoms", "rules"]:
        _fail("the objective does not hold 'atoms' and 'rules' as JSON")
    atoms, rules = content["atoms"], content["rules"]
    if not isinstance(atoms, Mapping) or not all(type(words) is str for words in atoms.values()):
        _fail("the atoms of the objective must be texts")
    if not all(ATOM_NAME.fullmatch(name) and name not in RESERVED for name in atoms):
        _fail("an atom of the objective has a name that formulas cannot have")
    if type(rules) is not list or not rules:
        _fail("the objective has no rules")
    return dict(content)


def _rule(row: Any) -> _Rule:
    if type(row) is not list or len(row) != 3 or not all(type(word) is str for word in row):
        _fail("a rule of the objective must be a name, a kind and a formula")
    name, kind, text = row
    if kind not in ("desired", "forbidden"):
        _fail("a rule of the objective must be desired or forbidden")
    formulas = Formulas()
    read = formulas.read(text, f"the rule {name[:80]!r}")
    kept, broken = (
        formulas.pushed(read, negated=negated != (kind == "forbidden"))
        for negated in (False, True)
    )
    # The view comes first: folding constants would change what prefixes prove.
    settled = formulas.in_view(broken, "strong")
    return _Rule(name, formulas, formulas.normal(kept), settled)


class _Names:
    """The names that conditions may use: facts and operators."""

    def __init__(self, task: Task) -> None:
        self.facts: dict[str, list[Fact]] = {}
        for variable, atoms in enumerate(task.atoms):
            for value, atom in enumerate(atoms):
                if atom is not None:
                    self.facts.setdefault(atom, []).append((variable, value))
        self.operators: dict[str, set[int]] = {}
        for number, operator in enumerate(task.operators):
            self.operators.setdefault(operator.action, set()).add(number)


class _Block:
    """An open parenthesis: its words, and what stands in it."""

    def __init__(self) -> None:
        self.words: list[str] = []
        self.inner = 0
        self.actions: list[str] = []


class _Condition:
    """A condition as steps of a stack machine."""

    def __init__(self, text: str, names: _Names) -> None:
        self._names = names
        self._steps: list[tuple[str, Any]] = []
        blocks = [_Block()]
        for token in re.findall(r"[()]|[^\s()]+", text.lower()):
            if token == "(":
                blocks.append(_Block())
            elif token != ")":
                blocks[-1].words.append(token)
            elif len(blocks) == 1:
                _fail("an atom of the objective has a ')' that closes nothing")
            else:
                self._close(blocks.pop(), blocks[-1])
        if len(blocks) != 1 or blocks[0].words or blocks[0].inner != 1:
            _fail("an atom of the objective must be one condition in parentheses")

    def _close(self, block: _Block, outer: _Block) -> None:
        words = block.words
        outer.inner += 1
        if outer.words == ["did"]:
            if block.inner or not words:
                _fail("'did' in an atom of the objective needs actions")
            outer.actions.append(f"({' '.join(words)})")
        elif words == ["did"]:
            self._steps.append(("did", self._operators(block.actions)))
        elif words in (["and"], ["or"], ["not"]):
            if words == ["not"] and block.inner != 1:
                _fail("'not' in an atom of the objective must have one part")
            self._steps.append((words[0], block.inner))
        else:
            atom = f"({' '.join(words)})"
            if block.inner or atom not in self._names.facts:
                _fail(f"an atom of the objective has {atom[:80]}, which is no fact of the task")
            self._steps.append(("atom", self._names.facts[atom]))

    def _operators(self, actions: Sequence[str]) -> frozenset[int]:
        found: set[int] = set()
        for action in actions:
            if action not in self._names.operators:
                _fail(f"an atom of the objective has {action[:80]}, which is no action")
            found |= self._names.operators[action]
        if not found:
            _fail("'did' in an atom of the objective needs actions")
        return frozenset(found)

    def holds(self, state: State, operator: int | None) -> bool:
        stack: list[bool] = []
        for sign, argument in self._steps:
            if sign == "atom":
                stack.append(any(state[variable] == value for variable, value in argument))
            elif sign == "did":
                stack.append(operator in argument)
            elif sign == "not":
                stack[-1] = not stack[-1]
            else:
                join = all if sign == "and" else any
                first = len(stack) - argument
                stack[first:] = [join(stack[first:])]
        return stack[0]


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)


if __name__ == "__main__":
    alone = "bugsieve.rooms.rules.checker.cost_rules"
    sys.exit(main(sys.argv[1:], {RULES: Rules}, module=alone))
