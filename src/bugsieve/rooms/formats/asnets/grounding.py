"""The ground actions and facts of a task that an ASNet is unrolled over.

It is the policy's own view: the task that is tested keeps operators that are not in it, which the
policy cannot choose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.formats.asnets.goals import goal_atoms
from bugsieve.rooms.formats.asnets.pruning import GroundAction, GroundTask, kept_actions
from bugsieve.rooms.formats.asnets.signature import SchemaSignature, Signature, signature_of
from bugsieve.tasks.grounded.task import StateArray, Task, require_task

Atom = tuple[str, ...]
"""A predicate and its arguments."""


@dataclass(frozen=True, eq=False)
class Segments:
    """The actions of one schema whose related fact at one position is a given fact.

    Those of fact i of the predicate are `actions[offsets[i]:offsets[i + 1]]`, counted within the
    schema; there may be none.
    """

    actions: NDArray[np.int32]
    offsets: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Grounding:
    """Facts sorted by predicate, actions by schema, and how they are connected."""

    task: Task
    signature: Signature
    facts: tuple[str, ...]
    """ "(on a b)", those of one predicate together, in the order of the signature."""
    fact_starts: NDArray[np.int32]
    """The first fact of each predicate; one entry more than predicates."""
    actions: tuple[tuple[str, ...], ...]
    """Name and arguments; those of one schema together, in alphabetical order."""
    action_starts: NDArray[np.int32]
    """The first action of each schema; one entry more than schemas."""
    operators: NDArray[np.int32]
    """Action to its operator in the task."""
    related: tuple[NDArray[np.int32], ...]
    """For each schema the related facts of its actions, (actions, positions); `missing`, the
    number of facts, where there is no such fact."""
    goal: NDArray[np.bool_]
    """True for each fact in the goal."""
    places: NDArray[np.int32]
    """(facts, 2): a variable of the task and the value that means the fact; the variable is -1
    where the fact is true in every state."""

    @property
    def missing(self) -> int:
        """The number that stands for a fact that is never true."""
        return len(self.facts)

    @cached_property
    def segments(self) -> tuple[tuple[Segments, ...], ...]:
        """For each predicate and each of its slots, the actions behind each fact."""
        return tuple(
            tuple(self._segments(predicate, *slot) for slot in slots)
            for predicate, slots in enumerate(self.signature.slots.values())
        )

    def _segments(self, predicate: int, schema: int, position: int) -> Segments:
        first, end = self.fact_starts[predicate : predicate + 2]
        targets = self.related[schema][:, position]
        order = np.argsort(targets, kind="stable").astype(np.int32)
        bounds = np.searchsorted(targets[order], np.arange(first, end + 1)).astype(np.int32)
        return Segments(order[bounds[0] : bounds[-1]], bounds - bounds[0])

    @cached_property
    def ranks(self) -> NDArray[np.int32]:
        """The place of each action among all, sorted by name and arguments as strings."""
        ranks = np.empty(len(self.actions), dtype=np.int32)
        ranks[sorted(range(len(self.actions)), key=self.actions.__getitem__)] = np.arange(
            len(self.actions)
        )
        return ranks

    def truth(self, states: ArrayLike) -> NDArray[np.bool_]:
        """(states, facts): whether each fact is true."""
        batch: StateArray = self.task.checked_states(states)
        variables, values = self.places.T
        found: NDArray[np.bool_] = (batch[:, variables] == values) | (variables < 0)
        return found

    def applicable(self, states: ArrayLike) -> NDArray[np.bool_]:
        """(states, actions): whether each action is applicable."""
        operators, offsets = self.task.applicable(states)
        found = np.zeros((len(offsets) - 1, self.task.num_operators), dtype=np.bool_)
        found[np.repeat(np.arange(len(found)), np.diff(offsets)), operators] = True
        return found[:, self.operators]


def ground(task: Task) -> Grounding:
    """The grounded structure of a task; UnsupportedError where ASNets cannot be used on it."""
    require_task(task)
    if task.pddl is None:
        raise UnsupportedError(
            f"{task.name}: ASNets read PDDL, and this task comes from SAS; give domain.pddl and "
            "problem.pddl"
        )
    signature = signature_of(task.pddl)
    facts = _facts(task, signature)
    numbers = {fact: number for number, fact in enumerate(facts)}
    operators = _operators(task, signature)
    kept = kept_actions(_ground_task(task, signature, operators, numbers))
    chosen = [entry for entry, is_kept in zip(operators, kept, strict=True) if is_kept]
    names = [_text(fact) for fact in facts]
    wanted = goal_atoms(task)
    return Grounding(
        task=task,
        signature=signature,
        facts=tuple(names),
        fact_starts=_starts([fact[0] for fact in facts], list(signature.predicates)),
        actions=tuple(action for action, _ in chosen),
        action_starts=_starts(
            [action[0] for action, _ in chosen], [schema.name for schema in signature.schemas]
        ),
        operators=np.array([operator for _, operator in chosen], dtype=np.int32),
        related=_related(signature, [action for action, _ in chosen], numbers),
        goal=np.array([name in wanted for name in names], dtype=np.bool_),
        places=_places(task, names),
    )


def _facts(task: Task, signature: Signature) -> list[Atom]:
    """The facts of variables, and those true in every state, by predicate and name."""
    fluent = (atom for variable in task.variables for atom in variable.facts if atom is not None)
    order = {name: number for number, name in enumerate(signature.predicates)}
    facts = {_words(atom) for atom in (*fluent, *task.static_facts)}
    known = (fact for fact in facts if fact[0] in order)
    return sorted(known, key=lambda fact: (order[fact[0]], fact))


def _operators(task: Task, signature: Signature) -> list[tuple[Atom, int]]:
    """Name and number of every operator, by schema and name."""
    order = {schema.name: number for number, schema in enumerate(signature.schemas)}
    named = [(_words(name), number) for number, name in enumerate(task.operator_names)]
    known = [(action, number) for action, number in named if action[0] in order]
    return sorted(known, key=lambda entry: (order[entry[0][0]], entry))


def _ground_task(
    task: Task,
    signature: Signature,
    operators: Sequence[tuple[Atom, int]],
    numbers: dict[Atom, int],
) -> GroundTask:
    """The facts that can change, and what each operator does to them."""
    fluent = {fact: n for fact, n in numbers.items() if task.truth(_text(fact)) is None}
    true = sorted(
        fluent[fact] for fact in map(_words, task.facts(task.initial_state)) if fact in fluent
    )
    schemas = {schema.name: schema for schema in signature.schemas}
    actions = [_ground_action(schemas[action[0]], action[1:], fluent) for action, _ in operators]
    return GroundTask(task.name, len(numbers), true, actions)


def _ground_action(
    schema: SchemaSignature, objects: Sequence[str], fluent: dict[Atom, int]
) -> GroundAction:
    """Facts that never change are met by every operator of the task, and are left out."""
    lists = (schema.needs, schema.refuses, schema.adds, schema.deletes)
    found = ([fluent.get(atom.ground(objects)) for atom in atoms] for atoms in lists)
    return GroundAction(*(tuple(n for n in facts if n is not None) for facts in found))


def _related(
    signature: Signature, actions: Sequence[Atom], numbers: dict[Atom, int]
) -> tuple[NDArray[np.int32], ...]:
    by_schema = {
        name: list(group) for name, group in groupby(actions, key=lambda action: action[0])
    }
    tables = []
    for schema in signature.schemas:
        own = by_schema.get(schema.name, [])
        rows = [
            [numbers.get(atom.ground(action[1:]), len(numbers)) for atom in schema.related]
            for action in own
        ]
        shape = (len(own), len(schema.related))
        tables.append(np.array(rows, dtype=np.int32).reshape(shape))
    return tuple(tables)


def _starts(given: Sequence[str], names: Sequence[str]) -> NDArray[np.int32]:
    """The first place of each name in a list that is sorted by them."""
    counts = dict.fromkeys(names, 0)
    for name in given:
        counts[name] += 1
    return np.cumsum([0, *counts.values()]).astype(np.int32)


def _places(task: Task, facts: Sequence[str]) -> NDArray[np.int32]:
    """The first place of each fact: an atom may be a value of several variables, which agree."""
    rows = [next(iter(task.places(fact)), (-1, 0)) for fact in facts]
    return np.array(rows, dtype=np.int32).reshape(len(facts), 2)


def _words(text: str) -> Atom:
    return tuple(text[1:-1].split())


def _text(atom: Atom) -> str:
    return f"({' '.join(atom)})"
