"""States of PDDL tasks, and what actions do to them, for the validator of traces.

States are sets of atoms, nothing is grounded. Conditions of effects are those of the state before
the action; an atom that is both deleted and added is true afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import NoReturn, TypeAlias

from bugsieve.checkers.cost import CertificateError
from bugsieve.rooms.rules.checker.rules_pddl_reader import (
    Action,
    Domain,
    Expression,
    Problem,
    Types,
    refuse,
    typed_list,
)

MAX_WORK = 20_000_000
"""Parts of conditions and effects that may be looked at: quantifiers multiply."""

Atom: TypeAlias = tuple[str, ...]
PddlState: TypeAlias = frozenset[Atom]
Binding: TypeAlias = Mapping[str, str]


class PddlTask:
    """A domain with one of its problems."""

    def __init__(
        self, domain: Domain, problem: Problem, poll: Callable[[], None] = lambda: None
    ) -> None:
        if domain.name != problem.domain:
            refuse(f"the problem is for {problem.domain[:80]}, not for {domain.name[:80]}")
        self.domain = domain
        self.goal = problem.goal
        self.objects: dict[str, Types] = {}
        for one in (*domain.constants, *problem.objects):
            self.objects[one.name] = (*self.objects.get(one.name, ()), *one.types)
        self._poll = poll
        self._left = self._next_poll = MAX_WORK
        self._of_types: dict[Types, list[str]] = {}
        self._types = {"object", *domain.parents, *set().union(*domain.parents.values())}
        for atom in problem.initial:
            self._check_atom(atom)
        self.initial = problem.initial

    # Actions.

    def resolve(self, text: str) -> Atom:
        """The name and arguments of an action such as `(navigate r1 a b)`."""
        words = text.strip().lower()
        if not (words.startswith("(") and words.endswith(")")):
            _fail(f"{text[:80]} is no action in parentheses")
        name, *arguments = words[1:-1].split() or [""]
        action = self.domain.actions.get(name)
        if action is None:
            _fail(f"{text[:80]}: the domain has no such action")
        if len(arguments) != len(action.parameters):
            _fail(f"{text[:80]} must have {len(action.parameters)} arguments")
        for parameter, word in zip(action.parameters, arguments, strict=True):
            if word not in self.objects:
                _fail(f"{text[:80]}: there is no object {word[:40]}")
            if word not in self.of_types(parameter.types):
                _fail(f"{text[:80]}: {word[:40]} has not the type of {parameter.name[:40]}")
        return name, *arguments

    def successor(self, state: PddlState, action: Atom) -> PddlState:
        """The state after an action that `resolve` gave; CertificateError if not applicable."""
        schema = self.domain.actions[action[0]]
        binding = {p.name: word for p, word in zip(schema.parameters, action[1:], strict=True)}
        if not self.holds(schema.precondition, state, binding=binding):
            _fail(f"({' '.join(action)[:80]}) is not applicable")
        changes = list(self._changes(schema, schema.effect, binding, state))
        deleted = {atom for atom, is_added in changes if not is_added}
        return (state - deleted) | {atom for atom, is_added in changes if is_added}

    def _changes(
        self, schema: Action, effect: Expression, binding: Binding, state: PddlState
    ) -> Iterator[tuple[Atom, bool]]:
        """The atoms that the effect sets, with whether it adds them."""
        self.work()
        if type(effect) is not list:
            refuse(f"action {schema.name[:80]} has an effect that is none")
        if not effect or effect[0] == "and":
            for part in effect[1:]:
                yield from self._changes(schema, part, binding, state)
        elif effect[0] == "when" and len(effect) == 3:
            if self.holds(effect[1], state, binding=binding):
                yield from self._changes(schema, effect[2], binding, state)
        elif effect[0] == "forall" and len(effect) == 3:
            for more in self.bindings(effect[1], binding):
                yield from self._changes(schema, effect[2], more, state)
        elif effect[0] == "not" and len(effect) == 2:
            yield self.ground(effect[1], binding), False
        elif effect[0] != "increase":  # costs do not matter
            yield self.ground(effect, binding), True

    # Conditions.

    def holds(
        self,
        condition: Expression,
        state: PddlState,
        *,
        binding: Binding | None = None,
        did: Atom | None = None,
        knows_did: bool = False,
    ) -> bool:
        """Return true if a condition holds.

        With `knows_did`, `(did action arguments)` asks for the action that led into the state,
        `did`, in which `*` stands for any object.
        """
        return _Evaluation(self, state, did, knows_did).holds(condition, binding or {})

    def work(self, amount: int = 1) -> None:
        """Counts parts looked at; CertificateError if there are too many."""
        self._left -= amount
        if self._left < 0:
            _fail("the conditions and effects of the trace would take too long to look at")
        if self._left <= self._next_poll:
            self._next_poll = self._left - 1_000
            self._poll()

    def of_types(self, types: Types) -> list[str]:
        """The objects of one of the types, or of types below them."""
        found = self._of_types.get(types)
        if found is None:
            wanted = set(types)
            if not wanted <= self._types:
                refuse(f"there is no type {min(wanted - self._types)[:40]}")
            found = [name for name, own in self.objects.items() if self._is_below(own, wanted)]
            self._of_types[types] = found
        return found

    def _is_below(self, types: Types, wanted: set[str]) -> bool:
        seen = {"object", *types}
        waiting = list(types)
        while waiting:
            for above in self.domain.parents.get(waiting.pop(), ()):
                if above not in seen:
                    seen.add(above)
                    waiting.append(above)
        return not seen.isdisjoint(wanted)

    def bindings(self, variables: Expression, binding: Binding) -> Iterator[Binding]:
        """The binding with all objects for the variables of a quantifier."""
        if type(variables) is not list:
            refuse("a quantifier must have its variables in parentheses")
        typed = typed_list(variables, "the variables of a quantifier")
        names = [one.name for one in typed]
        if not all(name.startswith("?") for name in names):
            refuse("a quantifier has a variable that does not begin with '?'")
        for choice in product(*(self.of_types(one.types) for one in typed)):
            self.work(1 + len(binding) + len(names))
            yield {**binding, **dict(zip(names, choice, strict=True))}

    def ground(self, atom: Expression, binding: Binding) -> Atom:
        """The atom with objects for its variables."""
        if type(atom) is not list or not all(type(word) is str for word in atom):
            refuse("a condition or effect has something that is no atom")
        ground = (atom[0], *(binding.get(word, word) for word in atom[1:])) if atom else ()
        self._check_atom(ground)
        return ground

    def _check_atom(self, atom: Atom) -> None:
        shown = f"({' '.join(atom)[:80]})"
        if not atom or atom[0] not in self.domain.arities:
            refuse(f"{shown} is no atom of a predicate of the domain")
        if len(atom) - 1 != self.domain.arities[atom[0]]:
            refuse(f"{shown} must have {self.domain.arities[atom[0]]} arguments")
        for word in atom[1:]:
            if word not in self.objects:
                refuse(f"{shown} has {word[:40]}, which is no object")


class _Evaluation:
    """Conditions in one state."""

    def __init__(
        self, task: PddlTask, state: PddlState, did: Atom | None, knows_did: bool
    ) -> None:
        self.task = task
        self.state = state
        self.did = did
        self.knows_did = knows_did

    def holds(self, condition: Expression, binding: Binding) -> bool:
        self.task.work()
        if type(condition) is not list:
            refuse(f"a condition has {str(condition)[:40]}, which is no condition")
        if not condition:
            return True
        sign, *parts = condition
        if sign == "and":
            return all(self.holds(part, binding) for part in parts)
        if sign == "or":
            return any(self.holds(part, binding) for part in parts)
        if sign in ("not", "imply", "forall", "exists", "="):
            return self._compound(sign, parts, binding)
        if sign == "did" and self.knows_did:
            return self._was_done(parts, binding)
        return self.task.ground(condition, binding) in self.state

    def _compound(self, sign: str, parts: list[Expression], binding: Binding) -> bool:
        if len(parts) != (1 if sign == "not" else 2):
            refuse(f"a condition has {sign} with {len(parts)} parts")
        if sign == "not":
            return not self.holds(parts[0], binding)
        if sign == "imply":
            left, right = (self.holds(part, binding) for part in parts)
            return not left or right
        if sign == "=":
            one, other = (self._object(part, binding) for part in parts)
            return one == other
        quantifier = all if sign == "forall" else any
        choices = self.task.bindings(parts[0], binding)
        return quantifier(self.holds(parts[1], more) for more in choices)

    def _object(self, term: Expression, binding: Binding) -> str:
        if type(term) is not str:
            refuse("a condition compares numbers, which the validator does not know")
        found = binding.get(term, term)
        if found not in self.task.objects:
            refuse(f"a condition has {term[:40]}, which is no object")
        return found

    def _was_done(self, parts: list[Expression], binding: Binding) -> bool:
        name, *terms = parts or [""]
        action = self.task.domain.actions.get(name) if type(name) is str else None
        if action is None:
            refuse("a condition has 'did' without an action of the domain")
        if len(terms) != len(action.parameters):
            refuse(f"'did {name[:40]}' must have {len(action.parameters)} arguments")
        wanted = [term if term == "*" else self._object(term, binding) for term in terms]
        if self.did is None or self.did[0] != name:
            return False
        return all(word in ("*", done) for word, done in zip(wanted, self.did[1:], strict=True))


def _fail(sentence: str) -> NoReturn:
    raise CertificateError(sentence)
