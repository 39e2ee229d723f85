"""Checks the certificates of flight rules against the task, without trusting their author.

A certificate says that a trace of the task satisfies a formula, or that none does; with
`with_goal` only traces to the goal count, with `lasso` infinite ones. A refutation says that a
trace breaks a rule, and that so does all that can come after it (`rules_refutations`). Formulas
are read, brought into their view and progressed here; automata and compiled tasks of the engine do
not occur. Its neighbours `rules_*.py` hold the parts; like this file they use the standard library
only and share no code with the engine. Proofs of "none":

- `facts`: a set that contains the facts of every state on the way (`rules_relaxed`);
- `pairs`: the pairs of facts that occur together on the way (`rules_pairs`);
- `states`: the states on the way, up to dead ends (`rules_explored`);
- `rerun`: nothing but the claim; the checker explores all traces.

A formula without X, N and `did` is checked on its cone of influence (`rules_cone`): there a proof
need not speak of other variables.

`python -I -m bugsieve.rooms.rules.checker.rules TASK.sas CERTIFICATE.json` checks a file.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

if __package__ in (None, ""):  # run as a file: its neighbours are found from the source folder
    sys.path[0] = str(Path(__file__).resolve().parents[4])

from bugsieve.checkers.cost import (
    CertificateError,
    Fact,
    State,
    Task,
    read_json,
    read_task,
    visible,
)
from bugsieve.rooms.rules.checker.rules_claims import (
    Claim,
    Proof,
    Trace,
    check_formula,
    check_rows,
    read_claim,
)
from bugsieve.rooms.rules.checker.rules_conditions import (
    Alphabet,
    Condition,
    ConditionReader,
    Facts,
)
from bugsieve.rooms.rules.checker.rules_cone import Cone, cone_of
from bugsieve.rooms.rules.checker.rules_explored import Exploration, LassoSearch
from bugsieve.rooms.rules.checker.rules_pairs import Pairs
from bugsieve.rooms.rules.checker.rules_progression import Obligations, Progression
from bugsieve.rooms.rules.checker.rules_refutations import Continuations
from bugsieve.rooms.rules.checker.rules_relaxed import Relaxation

__all__ = ["CertificateError", "Checker", "check", "main"]

BUDGET = 1_000_000
"""Pairs of a state and a rest of the formula that an exploration may meet."""


def check(sas_text: str, certificate: Mapping[str, Any], *, budget: int = BUDGET) -> None:
    """Return if the certificate proves its claim about the task, else raise CertificateError."""
    Checker(sas_text).check(certificate, budget=budget)


class Checker:
    """Checks many certificates of one task, whose text it reads once.

    `poll` is called on the way, again and again; it may raise to end the work.
    """

    def __init__(self, sas_text: str, *, poll: Callable[[], None] = lambda: None) -> None:
        if not isinstance(sas_text, str):
            _fail("the task must be given as text")
        self._text = sas_text
        self._digest = hashlib.sha256(sas_text.encode("utf-8", "surrogatepass")).hexdigest()
        self._facts: Facts | None = None
        self._cone: Cone | None = None
        """The last one: certificates of one rule come one after the other."""
        self._poll = poll

    def check(self, certificate: Mapping[str, Any], *, budget: int = BUDGET) -> None:
        """Return if the certificate proves its claim, else raise CertificateError."""
        try:
            self._check(certificate, budget)
        except RecursionError:
            _fail("a condition or an operator of the task is nested too deeply")

    def _check(self, certificate: Mapping[str, Any], budget: int) -> None:
        claim = read_claim(certificate)
        if claim.digest != self._digest:
            _fail("the certificate belongs to another task: the SHA-256 of the text differs")
        if self._facts is None:
            self._facts = Facts(read_task(self._text, self._poll))
        check_formula(claim, self._poll)
        reader = ConditionReader(self._facts)
        conditions = {name: reader.read(value, name) for name, value in claim.atoms.items()}
        names = claim.formulas.atoms(claim.wanted, claim.kept)
        used = {name: conditions[name] for name in sorted(names)}
        if isinstance(claim.content, Trace):
            alphabet = Alphabet(self._facts, used)
            states = _check_trace(claim, claim.content, alphabet, self._poll)
            if claim.content.rest:
                rest = Continuations(alphabet, claim, claim.content.operators, self._poll)
                rest.check_none(states, budget)
        else:
            check = _NoTrace(claim, self._facts, used, budget, self._poll, self._cone)
            self._cone = check.cone
            check.check(claim.content)


def _check_trace(
    claim: Claim, trace: Trace, alphabet: Alphabet, poll: Callable[[], None]
) -> list[State]:
    """The states of the trace, which satisfies the formula; CertificateError if it does not."""
    task = alphabet.facts.task
    states = _states(task, trace, poll)
    operators = [None, *trace.operators]
    letters = [
        alphabet.letter(state, operator) for state, operator in zip(states, operators, strict=True)
    ]
    if claim.with_goal and not _is_goal(task.goal, states[-1]):
        _fail("the trace does not end in a goal state")
    words = {letter: alphabet.word(letter) for letter in set(letters)}
    word = [words[letter] for letter in letters]
    if trace.loop_start is None:
        if not claim.formulas.holds(claim.wanted, word):
            _fail("the trace does not satisfy the formula")
        return states
    if states[trace.loop_start] != states[-1]:
        _fail("the last state of the lasso is not the one that loop_start says")
    # The state after loop_start is reached by the same operator in every round; loop_start
    # itself is not: what its `did` says belongs to the first visit only.
    if not claim.formulas.holds_on_lasso(claim.wanted, word, trace.loop_start + 1):
        _fail("the lasso does not satisfy the formula")
    return states


def _states(task: Task, trace: Trace, poll: Callable[[], None]) -> list[State]:
    states = [task.initial]
    for step, (number, action) in enumerate(zip(trace.operators, trace.actions, strict=True)):
        poll()
        where = f"step {step + 1} of the trace"
        if not 0 <= number < len(task.operators):
            _fail(f"{where}: there is no operator {number}")
        operator = task.operators[number]
        if operator.action != action:
            _fail(f"{where}: operator {number} is {operator.action}, not {action[:80]}")
        if not operator.is_applicable(states[-1]):
            _fail(f"{where}: {action} is not applicable")
        states.append(operator.successor(states[-1]))
    return states


def _is_goal(goal: Sequence[Fact], state: State) -> bool:
    return all(state[variable] == value for variable, value in goal)


class _NoTrace:
    """Checks the proofs that there is no trace."""

    def __init__(
        self,
        claim: Claim,
        facts: Facts,
        conditions: Mapping[str, Condition],
        budget: int,
        poll: Callable[[], None],
        known: Cone | None,
    ) -> None:
        self.claim = claim
        self.sizes = [len(atoms) for atoms in facts.task.atoms]
        if not self.sizes:
            _fail("the task has no variables, so there is nothing to prove")
        goal = facts.task.goal if claim.with_goal else ()
        self.cone = None
        if not claim.lasso:  # a trace that ends, but for steps outside of the cone, goes on there
            self.cone = cone_of(facts, conditions, goal, claim.formulas, claim.wanted, known)
        if self.cone is not None:
            facts = self.cone.facts
            conditions = {name: self.cone.condition(one) for name, one in conditions.items()}
        self.alphabet = Alphabet(facts, conditions)
        self.task = facts.task
        self.goal = self.task.goal if claim.with_goal else ()
        self.budget = budget
        self.poll = poll

    def check(self, proof: Proof) -> None:
        claim, alphabet = self.claim, self.alphabet
        if claim.lasso:
            obligations = Obligations(claim.formulas, claim.wanted, alphabet.names)
            LassoSearch(alphabet, obligations, self.poll).check_none(self.budget)
            return
        check_rows(proof, self.sizes)
        rows = proof.rows if self.cone is None else self.cone.rows(proof.by, proof.rows)
        progression = Progression(claim.formulas, claim.wanted, alphabet.names, self.poll)
        parts = (alphabet, progression, self.goal, self.poll)
        if proof.by == "facts":
            self._check_facts(rows, progression)
        elif proof.by == "pairs":
            Pairs(*parts).check(rows)
        elif proof.by == "states":
            listed = set(map(tuple, rows))
            Exploration(*parts).check_listed(listed, Relaxation(*parts), self.budget)
        else:
            Exploration(*parts).check_all(self.budget)

    def _check_facts(self, rows: list[list[int]], progression: Progression) -> None:
        facts = self.alphabet.facts.bits([(variable, value) for variable, value in rows])
        if self.alphabet.facts.state(self.task.initial) & ~facts:
            _fail("the facts lack one of the initial state")
        letter = self.alphabet.letter(self.task.initial, None)
        rest = progression.step(progression.start, letter)
        if progression.is_hopeless(rest):
            return
        relaxation = Relaxation(self.alphabet, progression, self.goal, self.poll)
        step = relaxation.step(facts, [(rest, letter)])
        if step.may_end:
            _fail("the facts do not exclude that a trace satisfies the formula")
        if step.added:
            _fail(f"the facts lack {self._shown(step.added)}, which an operator adds")

    def _shown(self, bits: int) -> str:
        number, first = (bits & -bits).bit_length() - 1, self.alphabet.facts.first
        variable = max(v for v, start in enumerate(first) if start <= number)
        value = number - first[variable]
        whole = variable if self.cone is None else self.cone.kept[variable]
        return f"value {value} of variable {whole}"


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)


def main(arguments: Sequence[str]) -> int:
    """Check the certificate in a JSON file; 0 if it proves its claim, else 4."""
    if len(arguments) != 2:
        print(
            "usage: python -I -m bugsieve.rooms.rules.checker.rules TASK.sas CERTIFICATE.json",
            file=sys.stderr,
        )
        return 4
    try:
        with open(arguments[0], encoding="utf-8", newline="") as file:
            sas_text = file.read()
        with open(arguments[1], encoding="utf-8") as file:
            check(sas_text, read_json(file.read()))
    except (OSError, ValueError, RecursionError) as error:
        print(f"rejected: {visible(str(error))}", file=sys.stderr)
        return 4
    print("accepted: the certificate proves its claim")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
