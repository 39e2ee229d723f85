"""Checks traces of flight rules on the PDDL files themselves, without trusting the translation.

The trace's actions are carried out by their names on the domain and the problem. The atoms are
evaluated as PDDL conditions, and the formula on the word that this gives. Standard library only;
`rules_pddl_reader` and `rules_pddl_states` are its parts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from bugsieve.checkers.cost import CertificateError
from bugsieve.rooms.rules.checker.rules_claims import Claim, Trace, check_formula, read_claim
from bugsieve.rooms.rules.checker.rules_pddl_reader import (
    Domain,
    Expression,
    Problem,
    RefusedPddlError,
    read_domain,
    read_expression,
    read_problem,
    refuse_unknown,
)
from bugsieve.rooms.rules.checker.rules_pddl_states import Atom, PddlState, PddlTask

__all__ = ["CertificateError", "PddlChecker", "RefusedPddlError", "check_trace", "validate_plan"]


def check_trace(
    domain_text: str,
    problem_text: str,
    certificate: Mapping[str, Any],
    pddl_atoms: Mapping[str, str],
    *,
    poll: Callable[[], None] = lambda: None,
) -> None:
    """Return if the trace of the certificate proves its claim on the PDDL task.

    `pddl_atoms` has a condition without free variables for each atom of the formula. Otherwise
    CertificateError; RefusedPddlError where the files hold what the validator does not know.
    """
    PddlChecker(domain_text, problem_text, poll=poll).check(certificate, pddl_atoms)


class PddlChecker:
    """Checks many traces of one task, whose files it reads once."""

    def __init__(
        self, domain_text: str, problem_text: str, *, poll: Callable[[], None] = lambda: None
    ) -> None:
        self._texts = domain_text, problem_text
        self._poll = poll
        self._read: tuple[Domain, Problem] | None = None

    def check(self, certificate: Mapping[str, Any], pddl_atoms: Mapping[str, str]) -> None:
        """Check the trace of a certificate, as `check_trace` does."""
        claim = read_claim(certificate)
        if not isinstance(claim.content, Trace):
            _fail("the certificate has no trace")
        check_formula(claim, self._poll)
        try:
            if self._read is None:
                self._read = read_domain(self._texts[0]), read_problem(self._texts[1])
            # A new task each time: what it may look at is counted from its beginning.
            _check(claim, claim.content, PddlTask(*self._read, self._poll), pddl_atoms)
        except RecursionError:
            raise RefusedPddlError("a condition or an effect is nested too deeply") from None


def validate_plan(
    domain_text: str,
    problem_text: str,
    actions: Sequence[str],
    must_reach_goal: bool = True,
    *,
    poll: Callable[[], None] = lambda: None,
) -> None:
    """Return if the actions can be carried out in turn, and lead to the goal if they must.

    CertificateError says which step fails; RefusedPddlError as in `check_trace`.
    """
    try:
        task = _task(domain_text, problem_text, poll)
        states, _ = _carried_out(task, actions)
        if must_reach_goal and not task.holds(task.goal, states[-1]):
            _fail("the goal does not hold at the end")
    except RecursionError:
        raise RefusedPddlError("a condition or an effect is nested too deeply") from None


def _task(domain_text: str, problem_text: str, poll: Callable[[], None]) -> PddlTask:
    return PddlTask(read_domain(domain_text), read_problem(problem_text), poll)


def _carried_out(
    task: PddlTask, actions: Sequence[str]
) -> tuple[list[PddlState], list[Atom | None]]:
    """The states, each with the action that led into it."""
    states = [task.initial]
    found: list[Atom | None] = [None]
    for step, text in enumerate(actions, start=1):
        try:
            action = task.resolve(text)
            states.append(task.successor(states[-1], action))
        except RefusedPddlError:
            raise
        except CertificateError as error:
            _fail(f"step {step}: {error}")
        found.append(action)
    return states, found


def _check(claim: Claim, trace: Trace, task: PddlTask, pddl_atoms: Mapping[str, str]) -> None:
    conditions = _conditions(claim, pddl_atoms)
    states, done = _carried_out(task, trace.actions)
    if claim.with_goal and not task.holds(task.goal, states[-1]):
        _fail("the trace does not end in a goal state of the problem")
    word = [
        frozenset(
            name
            for name, condition in conditions.items()
            if task.holds(condition, state, did=action, knows_did=True)
        )
        for state, action in zip(states, done, strict=True)
    ]
    if trace.loop_start is None:
        if not claim.formulas.holds(claim.wanted, word):
            _fail("the trace does not satisfy the formula on the PDDL task")
        return
    if states[trace.loop_start] != states[-1]:
        _fail("the last state of the lasso is not the one that loop_start says")
    if not claim.formulas.holds_on_lasso(claim.wanted, word, trace.loop_start + 1):
        _fail("the lasso does not satisfy the formula on the PDDL task")


def _conditions(claim: Claim, pddl_atoms: Mapping[str, str]) -> dict[str, Expression]:
    found = {}
    for name in sorted(claim.formulas.atoms(claim.wanted)):
        if name not in pddl_atoms:
            _fail(f"there is no PDDL condition of {name[:80]}")
        what = f"the condition of {name[:80]}"
        found[name] = read_expression(pddl_atoms[name], what)
        refuse_unknown(found[name], what)
    return found


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)
