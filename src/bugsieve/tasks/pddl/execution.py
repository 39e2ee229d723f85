"""Applies actions to states of PDDL: sets of atoms, without grounding anything beforehand.

Plans that people write are checked and replayed here, in the words of their files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

from bugsieve.base.errors import InputError
from bugsieve.base.names import suggest
from bugsieve.tasks.pddl.check import PddlTask
from bugsieve.tasks.pddl.costs import cost_amount
from bugsieve.tasks.pddl.declarations import variables
from bugsieve.tasks.pddl.formulas import is_number
from bugsieve.tasks.pddl.reader import Block, Expression, Word, words_of

Atoms: TypeAlias = frozenset[str]
"""The atoms that are true in a state, as "(on a b)"."""

Binding: TypeAlias = Mapping[str, str]
"""Variable to object."""


@dataclass(frozen=True)
class PlanStep:
    """An action with its objects, as "(move a b)"."""

    text: str
    action: str
    binding: Binding


@dataclass(frozen=True)
class Change:
    """The effect of one literal for one binding: `atom` becomes true, or false."""

    literal: Block
    atom: str
    adds: bool
    when: Block | None
    """The innermost conditional effect around the literal."""
    fires: bool
    """True if all conditions around the literal hold."""


class Interpreter:
    """Executes the actions of one task on sets of atoms."""

    def __init__(self, pddl: PddlTask) -> None:
        self.pddl = pddl
        self.domain, self.problem = pddl.domain, pddl.problem
        self.initial: Atoms = self.problem.atoms
        self.goal: Expression = self.problem.sections[":goal"][1]

    def step(self, text: str) -> PlanStep:
        """The action that a text names; InputError if there is none such."""
        words = words_of(text.lower()) if text.startswith("(") else text.lower().split()
        action, *objects = [word for word in words if word] or [""]
        if action not in self.domain.actions:
            known = self.domain.actions
            raise InputError(f"there is no action '{action}'{suggest(action, known)}")
        parameters = self.domain.parameters(action)
        if len(objects) != len(parameters):
            raise InputError(
                f"action '{action}' takes {len(parameters)} objects, {text} gives {len(objects)}"
            )
        for name, kind in zip(objects, parameters.values(), strict=True):
            self._require_object(text, name, kind)
        binding = dict(zip(parameters, objects, strict=True))
        return PlanStep(f"({' '.join((action, *objects))})", action, binding)

    def _require_object(self, text: str, name: str, kind: str) -> None:
        own = self.problem.objects.get(name)
        if own is None:
            known = self.problem.objects
            raise InputError(f"{text} names the unknown object '{name}'{suggest(name, known)}")
        if not self.domain.vocabulary.fits(own, (kind,)):
            raise InputError(f"{text} needs '{name}' to be of type '{kind}', but it is a '{own}'")

    def unmet(self, state: Atoms, step: PlanStep) -> list[str]:
        """The parts of the precondition that do not hold, with objects for variables."""
        condition = self.domain.actions[step.action].get(":precondition", Block())
        return self.unmet_parts(state, condition, step.binding)

    def unmet_goal(self, state: Atoms) -> list[str]:
        """The parts of the goal that do not hold."""
        return self.unmet_parts(state, self.goal, {})

    def unmet_parts(self, state: Atoms, condition: Expression, binding: Binding) -> list[str]:
        """The parts of a conjunction that do not hold."""
        failing = (part for part in conjuncts(condition) if not self.holds(part, binding, state))
        return [bound_text(part, binding) for part in failing]

    def apply(self, state: Atoms, step: PlanStep) -> Atoms:
        """The state after the step, which must be applicable; who adds wins over who deletes."""
        fired = [change for change in self.changes(state, step) if change.fires]
        deleted = {change.atom for change in fired if not change.adds}
        return frozenset((state - deleted) | {change.atom for change in fired if change.adds})

    def cost(self, step: PlanStep) -> int:
        """The cost of the step: 1 without a metric."""
        if ":metric" not in self.problem.sections:
            return 1
        amount = cost_amount(self.domain.actions[step.action])
        if amount is None:
            return 0
        if isinstance(amount, Word) and is_number(amount):
            return int(amount)
        call = bound_text(amount, step.binding)
        call = call if call.startswith("(") else f"({call})"
        if call not in self.problem.values:
            raise InputError(f"':init' gives no value to {call}, the cost of {step.text}")
        return int(self.problem.values[call])

    def holds(self, condition: Expression, binding: Binding, state: Atoms) -> bool:
        """Return true if a checked condition holds; its depth is limited by the reader."""
        if isinstance(condition, Word) or not condition:
            return True
        tag = condition[0]
        if tag == "and":
            return all(self.holds(part, binding, state) for part in condition[1:])
        if tag == "or":
            return any(self.holds(part, binding, state) for part in condition[1:])
        if tag == "not":
            return not self.holds(condition[1], binding, state)
        if tag == "imply":
            premise = self.holds(condition[1], binding, state)
            return not premise or self.holds(condition[2], binding, state)
        if tag in ("forall", "exists"):
            cases = self.cases(condition, binding)
            found = (self.holds(condition[2], case, state) for case in cases)
            return all(found) if tag == "forall" else any(found)
        if tag == "=":
            left, right = (binding.get(str(term), str(term)) for term in condition[1:])
            return left == right
        return bound_text(condition, binding) in state

    def cases(self, quantified: Block, binding: Binding) -> Iterator[Binding]:
        """The variables of a quantifier bound to objects in every way."""
        vocabulary = self.domain.vocabulary
        assert isinstance(quantified[1], Block)
        own = variables(self.domain.document, quantified[1], vocabulary.types, "a quantifier")
        choices = [vocabulary.of_type(self.problem.objects, kind) for kind in own.values()]
        for objects in product(*choices):
            yield {**binding, **dict(zip(own, objects, strict=True))}

    def changes(self, state: Atoms, step: PlanStep) -> Iterator[Change]:
        """The changes by each literal of the step's effect, those that do not fire among them."""
        effect = self.domain.actions[step.action].get(":effect", Block())
        yield from self._changes(state, effect, step.binding, None, fires=True)

    def _changes(
        self,
        state: Atoms,
        effect: Expression,
        binding: Binding,
        when: Block | None,
        *,
        fires: bool,
    ) -> Iterator[Change]:
        if isinstance(effect, Word) or not effect or effect[0] == "increase":
            return
        if effect[0] == "and":
            for part in effect[1:]:
                yield from self._changes(state, part, binding, when, fires=fires)
        elif effect[0] == "forall":
            for case in self.cases(effect, binding):
                yield from self._changes(state, effect[2], case, when, fires=fires)
        elif effect[0] == "when":
            fires = fires and self.holds(effect[1], binding, state)
            yield from self._changes(state, effect[2], binding, effect, fires=fires)
        else:
            adds = effect[0] != "not"
            atom = bound_text(effect if adds else effect[1], binding)
            yield Change(effect, atom, adds, when, fires)


def conjuncts(condition: Expression) -> Iterator[Block]:
    """The parts that a condition joins by `and`, in the order of the file."""
    pending: list[Expression] = [condition]
    while pending:
        part = pending.pop()
        if isinstance(part, Word) or not part:
            continue
        if part[0] == "and":
            pending += reversed(part[1:])
        else:
            yield part


def bound_text(item: Expression, binding: Binding) -> str:
    """The expression as text, with objects in place of variables."""
    if isinstance(item, Word):
        return binding.get(item, str(item))
    return "(" + " ".join(bound_text(part, binding) for part in item) + ")"


def is_literal(item: Expression) -> bool:
    """Return true if a part of a condition or an effect is an atom or the negation of one."""
    inner = item[1] if isinstance(item, Block) and item and item[0] == "not" else item
    return isinstance(inner, Block) and bool(inner) and _is_atom(inner)


def _is_atom(block: Block) -> bool:
    return all(isinstance(word, Word) for word in block) and block[0] not in _WORDS


_WORDS = ("and", "or", "not", "imply", "increase")
