"""Tasks as worlds of traces: searched in products with automata, each answer with its proof."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import chain

from bugsieve.rooms.rules.engine.certificates import Statement, none_certificate, trace_certificate
from bugsieve.rooms.rules.engine.deciding import Empty, Inconclusive, NoTrace, decide
from bugsieve.rooms.rules.engine.lassos import Lasso, NoLasso, find_lasso
from bugsieve.rooms.rules.engine.parts import plain_task_of
from bugsieve.rooms.rules.engine.proofs import Proof, plain_proof, proofs
from bugsieve.rooms.rules.engine.refutations import NoRefutation, Refutation, find_refutation
from bugsieve.rooms.rules.engine.relaxations import is_never_stuck
from bugsieve.rooms.rules.file.binding import BoundRules
from bugsieve.rooms.rules.ltl.automaton import Automaton
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.obligations.known_traces import KnownTraces
from bugsieve.rooms.rules.obligations.letters import Letter
from bugsieve.rooms.rules.obligations.world import Certificate, Sought, World
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search_limits import Limits


class TaskWorld(World):
    """The traces of a task: a tuple of operators each, or a lasso."""

    def __init__(self, task: Task, bound: BoundRules) -> None:
        self._task = task
        self.rules = bound.rules
        self.folded = bound.folded
        self._conditions = {name: atom.condition for name, atom in bound.atoms.items()}
        self._known = KnownTraces(task, self._conditions)

    @cached_property
    def goes_on(self) -> bool:
        """Return true if the values of some variable alone let an operator be applied."""
        return is_never_stuck(plain_task_of(self._task).sas)

    @property
    def first_letter(self) -> Letter:
        """The atoms that are true in the initial state."""
        return self._known.first_letter

    def known(self, automaton: Automaton, *, with_goal: bool) -> tuple[int, ...] | None:
        """The beginning of a known trace."""
        return self._known.prefix(automaton, with_goal=with_goal)

    def ends(self, automaton: Automaton, *, with_goal: bool) -> int:
        """A bit for each state of known traces, where they may end."""
        return self._known.ends(automaton, with_goal=with_goal)

    def learn(self, certificate: Certificate) -> None:
        """Know a trace that ends."""
        if not certificate["lasso"]:
            self.follow(certificate["trace"]["operators"])

    def follow(self, operators: Sequence[int]) -> None:
        """Know the trace of these operators."""
        self._known.add(operators)

    def search(self, formula: Formula, *, with_goal: bool, limits: Limits) -> Sought:
        """Search the product of the task and the formula's automaton."""
        found = decide(self._task, formula, self._conditions, with_goal=with_goal, limits=limits)
        if isinstance(found, Empty):
            return Sought("empty")
        if isinstance(found, Inconclusive):
            return Sought("inconclusive", found.reason, expanded=found.expanded)
        if isinstance(found, NoTrace):
            return Sought("none", expanded=found.expanded)
        return Sought("trace", trace=found.operators, expanded=found.expanded)

    def search_for_ever(self, formula: Formula, *, limits: Limits) -> Sought:
        """Search for a lasso."""
        found = find_lasso(self._task, formula, self._conditions, limits=limits)
        if isinstance(found, Inconclusive):
            return Sought("inconclusive", found.reason, expanded=found.expanded)
        if isinstance(found, NoLasso):
            return Sought("none", expanded=found.expanded)
        return Sought("trace", trace=found, expanded=found.expanded)

    def search_refutation(self, formula: Formula, *, limits: Limits) -> Sought:
        """Search the product of the task and all that is left of the formula."""
        found = find_refutation(self._task, formula, self._conditions, limits=limits)
        if isinstance(found, Inconclusive):
            return Sought("inconclusive", found.reason, expanded=found.expanded)
        if isinstance(found, NoRefutation):
            return Sought("none", expanded=found.expanded)
        return Sought("trace", trace=found, expanded=found.expanded)

    def shown(
        self, statement: Statement, trace: tuple[int, ...] | Lasso | Refutation
    ) -> Certificate:
        """The operators and their names."""
        about = self._about(statement)
        if isinstance(trace, Refutation):
            return trace_certificate(self._task, about, trace.operators, rest=trace.by)
        operators, start = (
            (trace.operators, trace.loop_start) if isinstance(trace, Lasso) else (trace, None)
        )
        return trace_certificate(self._task, about, operators, loop_start=start)

    def excluded(self, statement: Statement) -> Iterator[Certificate]:
        """By sets of facts, of pairs, of states, or by what the checker must repeat."""
        about = self._about(statement)
        return (none_certificate(self._task, about, proof) for proof in self._proofs(statement))

    def _proofs(self, statement: Statement) -> Iterable[Proof]:
        if statement.lasso:
            return ({"by": "rerun"},)
        found = proofs(
            self._task, statement.formula, self._conditions, with_goal=statement.with_goal
        )
        return chain([self._plain_proof], found)

    @cached_property
    def _plain_proof(self) -> Proof:
        return plain_proof(self._task)

    def _about(self, statement: Statement) -> Statement:
        return replace(statement, atoms=self._conditions)
