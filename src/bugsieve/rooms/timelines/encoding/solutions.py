"""Plans out of solutions of CP-SAT: only values of variables are taken, the rest is computed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bugsieve.rooms.timelines.encoding.rules import Bound, Instance
from bugsieve.rooms.timelines.encoding.slots import Slot, Times, TokenView
from bugsieve.rooms.timelines.models.atoms import COMPARISONS, AtomCondition, LevelCondition
from bugsieve.rooms.timelines.models.model import Model, Object, Subgoal, choices, subgoals
from bugsieve.rooms.timelines.plans.plan import Outside, Plan, Support, Token, Value


def extract_plan(
    model: Model,
    times: Times,
    slots: Sequence[Slot],
    instances: Sequence[Instance],
    value: Callable[[Any], int],
    atoms: Mapping[str, AtomCondition],
) -> Plan:
    """The plan of a solution; `value` gives the value of an expression."""
    reader = _Reader(model, slots, value)
    supports: dict[int, list[Support]] = {}
    root = Support(-1, (), ())
    for instance in instances:
        support = reader.support(instance)
        if instance.slot is None:
            root = support
        elif value(instance.guard):
            supports.setdefault(instance.slot.number, []).append(support)
    tokens = tuple(
        reader.token(slot, tuple(supports.get(slot.number, ()))) for slot in reader.active
    )
    steps = range(times.start, times.end)
    levels = _levels(model, tokens, root, steps)
    letters = tuple(_letter(model, tokens, levels, atoms, times.start, time) for time in steps)
    return Plan((times.start, times.end), tokens, root, levels, letters)


class _Reader:
    def __init__(self, model: Model, slots: Sequence[Slot], value: Callable[[Any], int]) -> None:
        self.model = model
        self.value = value
        self.active = [slot for slot in slots if value(slot.active)]
        self.places = {slot.number: place for place, slot in enumerate(self.active)}

    def token(self, slot: Slot, supports: tuple[Support, ...]) -> Token:
        predicate = next(name for name, holds in slot.holds.items() if self.value(holds))
        return Token(
            slot.object.name,
            predicate,
            self.value(slot.start),
            self.value(slot.end),
            self._parameters(slot.object.class_name, predicate, slot.views[predicate]),
            supports,
        )

    def _parameters(self, class_name: str, predicate: str, view: TokenView) -> dict[str, Value]:
        types = self.model.classes[class_name].predicates[predicate].parameters
        return {
            name: self.model.show(self.value(variable), types[name])
            for name, variable in view.parameters.items()
        }

    def support(self, instance: Instance) -> Support:
        variables = tuple(
            self.model.show(self.value(instance.variables[item.number]), item.type)
            if self.model.values(item.type) != ()
            else None  # its branch cannot be taken
            for item in choices(instance.body)
        )
        tokens = tuple(
            self._bound(item, instance.tokens[item.number]) for item in subgoals(instance.body)
        )
        return Support(instance.rule, variables, tokens)

    def _bound(self, item: Subgoal, bound: Bound) -> int | Outside | None:
        if not all(self.value(guard) for guard in bound.guards):
            return None
        for match, slot in bound.matches:
            if self.value(match):
                return self.places[slot.number]
        view = bound.view
        thing = self.model.objects[self.value(view.object)]
        parameters = self._parameters(item.class_name, item.predicate, view)
        return Outside(thing.name, self.value(view.start), self.value(view.end), parameters)


def _levels(
    model: Model, tokens: Sequence[Token], root: Support, steps: range
) -> dict[str, tuple[int, ...]]:
    """The level of each reservoir in each step."""
    changes: dict[str, list[tuple[int, int]]] = {
        thing.name: [] for thing in model.objects if model.kind(thing) == "reservoir"
    }
    for support in [root, *(support for token in tokens for support in token.supports)]:
        body = model.root if support.rule < 0 else model.rules[support.rule].body
        for item, bound in zip(subgoals(body), support.tokens, strict=True):
            is_change = model.classes[item.class_name].kind == "reservoir"
            if is_change and isinstance(bound, Outside):
                is_consumed = item.predicate == "consume"
                time = bound.start if is_consumed else bound.end
                amount = int(bound.parameters["quantity"])
                changes[bound.object].append((time, -amount if is_consumed else amount))
    initial = {
        thing.name: model.reservoir(thing).initial
        for thing in model.objects
        if model.kind(thing) == "reservoir"
    }
    return {
        name: tuple(
            initial[name] + sum(c for at, c in found if steps.start <= at <= time)
            for time in steps
        )
        for name, found in changes.items()
    }


def _letter(
    model: Model,
    tokens: Sequence[Token],
    levels: Mapping[str, tuple[int, ...]],
    atoms: Mapping[str, AtomCondition],
    start: int,
    time: int,
) -> frozenset[str]:
    current = [token for token in tokens if token.start <= time < token.end]
    found = []
    for name, condition in atoms.items():
        if isinstance(condition, LevelCondition):
            level = levels[model.objects[condition.object].name][time - start]
            is_true = COMPARISONS[condition.comparison](level, condition.bound)
        else:
            is_true = any(_fits(model, token, condition) for token in current)
        if is_true:
            found.append(name)
    return frozenset(found)


def _fits(model: Model, token: Token, condition: Any) -> bool:
    names = {model.objects[number].name for number in condition.objects}
    if token.object not in names or token.predicate != condition.predicate:
        return False
    thing = _object(model.objects, token.object)
    types = model.predicate(thing, token.predicate).parameters
    return all(
        token.parameters[parameter] == model.show(value, types[parameter])
        for parameter, value in condition.arguments
    )


def _object(objects: Iterable[Object], name: str) -> Object:
    return next(thing for thing in objects if thing.name == name)
