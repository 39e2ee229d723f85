"""The subject that rules are tested on, with the rules as they read there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol, TypeAlias

from bugsieve.pictures.strips import SvgFile, run_strip, strips_file, when
from bugsieve.pipeline.objectives.objective import path_states
from bugsieve.rooms.rules.checker.rules import Checker
from bugsieve.rooms.rules.checker.rules_pddl import PddlChecker
from bugsieve.rooms.rules.file.binding import BoundRules, RuleInstance
from bugsieve.rooms.rules.ltl.formula import atoms_of
from bugsieve.rooms.rules.obligations.judge import Check
from bugsieve.rooms.rules.obligations.letters import letters_of
from bugsieve.rooms.rules.obligations.task_world import TaskWorld
from bugsieve.rooms.rules.obligations.world import Certificate, World
from bugsieve.rooms.rules.store.languages import Saved
from bugsieve.rooms.rules.store.rows import PDDL
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import Task

Path: TypeAlias = tuple[Sequence[str], Sequence[frozenset[str]]]
"""The actions before each letter, empty where there are none, and the letters."""


class RulesOfSubject(Protocol):
    """The rules as they read on what is tested."""

    @property
    def rules(self) -> tuple[RuleInstance, ...]:
        """All instances, over ground atoms."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the rules on this subject."""


class Bound(ABC):
    """A subject that rules are tested on."""

    language: ClassVar[str]
    """The key of the language that it is written in."""
    file: str
    rules: RulesOfSubject

    @abstractmethod
    def saved(self) -> Saved:
        """The data that the store keeps."""

    @abstractmethod
    def world(self, traces: Iterable[Certificate] = ()) -> World:
        """Its traces; those of another version are followed as far as they go here."""

    @abstractmethod
    def check(self) -> Check:
        """The function that accepts certificates, or raises a ValueError."""

    @abstractmethod
    def path(self, certificate: Certificate) -> Path:
        """The steps of a trace that was checked."""

    @abstractmethod
    def drawing(self, certificate: Certificate, *, title: str, picture: str | None) -> SvgFile:
        """The picture of a trace that was checked."""

    def constants(self, rule: str) -> Mapping[str, bool]:
        """The atoms of a rule that never change; its formula is judged without them."""
        return {}


@dataclass(frozen=True, eq=False)
class BoundTask(Bound):
    """A task with the rules as they read there."""

    language: ClassVar[str] = PDDL

    file: str
    task: Task
    rules: BoundRules

    def saved(self) -> SavedTask:
        """The grounded task and its PDDL."""
        return SavedTask.of(self.task)

    def world(self, traces: Iterable[Certificate] = ()) -> TaskWorld:
        """The traces of the task, found again by the names of their actions."""
        world = TaskWorld(self.task, self.rules)
        for trace in traces:
            world.follow(_followed(self.task, trace))
        return world

    def check(self) -> Check:
        """Checks on the grounded task and, for traces, on the PDDL that the user wrote."""
        texts = self.task.pddl_texts
        assert texts is not None
        checker = Checker(self.task.to_sas())
        # Comments may hold any bytes; everything else was read as ASCII before.
        on_pddl = PddlChecker(*(text.decode("utf-8", "replace") for text in texts))
        atoms = {name: atom.pddl for name, atom in self.rules.atoms.items()}

        def check(certificate: Mapping[str, Any]) -> None:
            checker.check(certificate)
            if certificate["kind"] == "trace":
                on_pddl.check(certificate, atoms)

        return check

    def path(self, certificate: Certificate) -> Path:
        """The actions, and the atoms of all states."""
        trace = certificate["trace"]
        conditions = {name: atom.condition for name, atom in self.rules.atoms.items()}
        letters, _ = letters_of(self.task, trace["operators"], conditions)
        return ["the initial state", *trace["actions"]], letters

    def drawing(self, certificate: Certificate, *, title: str, picture: str | None) -> SvgFile:
        """The states around the end of the trace."""
        task, steps = self.task, certificate["trace"]
        ending = "[end]"
        if certificate["lasso"]:
            ending = f"[the same as {when(steps['loop_start'])}, and so on for ever]"
        states = path_states(task, task.initial_state, tuple(steps["operators"]))
        strip = run_strip(
            f"a trace against {certificate['rule']}",
            *(task, states, [*steps["actions"], ending]),
            focus=len(states) - 1,
            is_marked=False,
            picture=picture,
        )
        return strips_file([strip], title=title)

    def constants(self, rule: str) -> Mapping[str, bool]:
        """Those whose conditions are the same in every state."""
        written = [one.unfolded for one in self.rules.rules if one.id == rule]
        names = dict.fromkeys(name for formula in written for name in atoms_of(formula))
        folded = self.rules.folded
        return {name: folded[name] for name in names if name in folded}


def _followed(task: Task, trace: Certificate) -> tuple[int, ...]:
    """The operators of a trace, as far as their names can still be followed."""
    if trace["lasso"]:
        return ()
    state, operators = task.initial_state, []
    known = set(task.operator_names)
    for action in trace["trace"]["actions"]:
        ids = task.operator_ids(action) if action in known else ()
        fitting = [one for one in ids if task.is_applicable(state, [one])[0]]
        if not fitting:
            break
        operators.append(fitting[0])
        state = task.successors(state, fitting[:1])[0]
    return tuple(operators)
