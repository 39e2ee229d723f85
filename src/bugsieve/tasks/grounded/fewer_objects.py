"""The problem that begins in a state of a task and leaves objects out.

What mentions such an object is left out with it, of the state and of the goal. Of a group of facts
of which one is always true, one must be true still. So nothing else is left incomplete, as a
package that is nowhere, or a hand neither empty nor full.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import copy
from typing import NamedTuple

from bugsieve.base.errors import UnsupportedError
from bugsieve.tasks.grounded.facts import Fact
from bugsieve.tasks.grounded.loading import small_task_of, with_unit_costs
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.grounded.translator import WarmTranslator
from bugsieve.tasks.pddl.check import check_documents
from bugsieve.tasks.pddl.declarations import ROOT_TYPE
from bugsieve.tasks.pddl.execution import conjuncts
from bugsieve.tasks.pddl.formulas import QUANTIFIERS
from bugsieve.tasks.pddl.problem_text import problem_text
from bugsieve.tasks.pddl.reader import (
    Block,
    Document,
    Expression,
    Word,
    parse,
    to_text,
    words_of,
)

_KEPT_SECTIONS = (":requirements", ":metric")


def objects_of(task: Task) -> tuple[str, ...]:
    """The objects that its problem has beside the constants of the domain, in alphabetical order.

    None of a task that comes from a SAS file.
    """
    constants = {} if task.pddl is None else task.pddl.constants
    return tuple(sorted(name for name in task.objects if name not in constants))


class _Group(NamedTuple):
    """Facts of which one is true in every state that can be reached."""

    atoms: frozenset[str]
    owners: tuple[str, ...]
    """The objects that all of them mention: without one of these there is no such group."""


class FewerObjects:
    """Problems that begin in one state of a task and have fewer objects."""

    def __init__(self, task: Task, state: StateArray) -> None:
        if task.pddl_texts is None:
            raise UnsupportedError(f"{task.name}: objects can be left out of PDDL files alone")
        documents = [
            Document(f"{name}.pddl", text, parse(text, f"{name}.pddl"))
            for name, text in zip(task.pddl_texts._fields, task.pddl_texts, strict=True)
        ]
        self.objects = objects_of(task)
        self.facts = task.facts(state)
        self._task = task
        self._domain = documents[0]
        self._pddl = check_documents(*documents)
        self._goal = list(conjuncts(self._pddl.problem.sections[":goal"][1]))
        self._groups = list(_groups(task))
        self._held = _held(self._groups, self.facts)

    def at(self, facts: frozenset[str]) -> FewerObjects:
        """The same for another state, perhaps one of a problem that has fewer objects already."""
        other = copy(self)
        other.facts = facts
        other._held = _held(self._groups, facts)
        return other

    def closed(self, objects: Iterable[str]) -> frozenset[str] | None:
        """These objects, and those that cannot stay without them; None if that leaves no problem.

        An object goes along if it owns a group whose true fact goes.
        """
        dropped = set(objects)
        broken = next(self._broken(dropped), None)
        while broken is not None:
            owner = next((name for name in broken.owners if name in self.objects), None)
            if owner is None:
                return None
            dropped.add(owner)
            broken = next(self._broken(dropped), None)
        return frozenset(dropped) if self.allows(dropped) else None

    def allows(self, dropped: Iterable[str]) -> bool:
        """Return true if these objects can be left out: a goal remains, and no group is broken."""
        names = set(dropped)
        has_goal = any(not _mentions(part, names) for part in self._goal)
        return names <= set(self.objects) and has_goal and next(self._broken(names), None) is None

    def _broken(self, dropped: set[str]) -> Iterator[_Group]:
        """The groups that remain, but not their one true fact."""
        for group, mentioned in self._held:
            if dropped.isdisjoint(group.owners) and not dropped.isdisjoint(mentioned):
                yield group

    def problem(self, dropped: Iterable[str], name: str) -> str:
        """The problem without the objects, as PDDL; it has this name."""
        names, problem = set(dropped), self._pddl.problem
        by_type: dict[str, list[str]] = {}
        for item, kind in problem.objects.items():
            if item in self.objects and item not in names:
                by_type.setdefault("" if kind == ROOT_TYPE else kind, []).append(item)
        return problem_text(
            name,
            self._pddl.domain.name,
            objects=by_type,
            init=self._init(names),
            goal=[to_text(part) for part in self._goal if not _mentions(part, names)],
            further=[
                to_text(problem.sections[k]) for k in _KEPT_SECTIONS if k in problem.sections
            ],
        )

    def _init(self, dropped: set[str]) -> list[str]:
        """Values of functions and the facts of the state, those of the file first."""
        kept = [
            to_text(block)
            for block in self._pddl.problem.sections[":init"]
            if isinstance(block, Block) and (block[0] == "=" or to_text(block) in self.facts)
            if not _mentions(block[1] if block[0] == "=" else block, dropped)
        ]
        new = [fact for fact in self.facts if dropped.isdisjoint(words_of(fact)[1:])]
        return list(dict.fromkeys([*kept, *new]))

    def task(self, dropped: Iterable[str], name: str, translator: WarmTranslator) -> Task:
        """The grounded problem without the objects; InputError if its goal is trivial."""
        text = self.problem(dropped, name).encode()  # names of a stranger may be anything
        document = Document("problem.pddl", text, parse(text, "problem.pddl"))
        pddl = check_documents(self._domain, document)
        task = small_task_of(pddl, document.path, translator)
        return with_unit_costs(task) if self._task.unit_cost else task


def _mentions(item: Expression, names: set[str]) -> bool:
    """Return true if a checked part of a problem names one of the objects."""
    if isinstance(item, Word):
        return item in names
    parts = item[2:] if item and item[0] in QUANTIFIERS else item[1:]
    return any(_mentions(part, names) for part in parts)


def _held(groups: Iterable[_Group], facts: frozenset[str]) -> list[tuple[_Group, frozenset[str]]]:
    """The groups with one true fact, each with the objects that it mentions."""
    held = []
    for group in groups:
        true = [words_of(fact)[1:] for fact in group.atoms if fact in facts]
        if len(true) == 1:
            held.append((group, frozenset(true[0])))
    return held


def _groups(task: Task) -> Iterator[_Group]:
    """Mutex groups and variables that no operator leaves without a true fact.

    They are exactly-one groups in states that have one true fact of them.
    """
    ranges = (
        tuple((variable, value) for value in range(int(size)))
        for variable, size in enumerate(task.domain_sizes)
    )
    groups = [*task.mutex_groups, *ranges]
    emptied = _emptied(task, groups)
    for number, group in enumerate(groups):
        atoms = [task.variables[variable].facts[value] for variable, value in group]
        known = frozenset(atom for atom in atoms if atom is not None)
        if known and number not in emptied and None not in atoms:
            words = [set(words_of(atom)[1:]) for atom in known]
            yield _Group(known, tuple(sorted(set.intersection(*words))))


def _emptied(task: Task, groups: list[tuple[Fact, ...]]) -> set[int]:
    """The groups that an operator may leave without a true fact; the others always have one."""
    holding: dict[Fact, set[int]] = {}
    of_variable: dict[int, set[int]] = {}
    for number, group in enumerate(groups):
        for variable, value in group:
            holding.setdefault((variable, value), set()).add(number)
            of_variable.setdefault(variable, set()).add(number)
    emptied: set[int] = set()
    for operator in range(task.num_operators):
        before = dict(task.native.preconditions(operator))
        lost: set[int] = set()
        gained: set[int] = set()
        for conditions, variable, value in task.native.effects(operator):
            new = holding.get((variable, value), set())
            old = of_variable.get(variable, set())
            if variable in before:
                old = holding.get((variable, before[variable]), set())
            lost |= old - new
            gained |= set() if conditions else new
        emptied |= lost - gained
    return emptied
