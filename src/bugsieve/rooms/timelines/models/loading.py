"""NDDL files as models."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from bugsieve.base.errors import InputError
from bugsieve.base.names import no_such
from bugsieve.rooms.timelines.models import model
from bugsieve.rooms.timelines.models.bodies import Builder, constraint
from bugsieve.rooms.timelines.models.declarations import Declarations, declare
from bugsieve.rooms.timelines.models.model import (
    MASTER,
    NUMBER,
    TRANSACTIONS,
    Body,
    Field,
    Model,
    TermComparison,
    Type,
)
from bugsieve.rooms.timelines.models.objects import World
from bugsieve.rooms.timelines.models.scopes import Scope, master_of
from bugsieve.rooms.timelines.nddl import syntax
from bugsieve.rooms.timelines.nddl.reader import check_includes, parse, read_text
from bugsieve.rooms.timelines.nddl.syntax import Statement

MAX_HORIZON = 2000
"""The most steps that a horizon may have."""
_TRANSACTION: Mapping[str, Type] = {"quantity": NUMBER}


def load_timelines(*paths: str | os.PathLike[str]) -> Model:
    """The model that some files declare together, in the order they are given."""
    if not paths:
        raise InputError("no NDDL file is given")
    return read_model([(os.fspath(path), read_text(path)) for path in paths])


def read_model(texts: Sequence[tuple[str, str]]) -> Model:
    """The model of some texts, each with the path that errors name."""
    names = {os.path.basename(path) for path, _ in texts}
    statements: list[Statement] = []
    for path, text in texts:
        check_includes(text, path, names)
        statements += parse(text, path)
    return _elaborate(statements, tuple(texts))


def _elaborate(statements: list[Statement], texts: tuple[tuple[str, str], ...]) -> Model:
    declarations = declare(statements)
    world = World(declarations)
    rest: list[Statement] = []
    for item in statements:
        if isinstance(item, syntax.VariableDeclaration):
            world.define(item)
        elif isinstance(item, syntax.New):
            world.make(item, {}, f"{item.type}_{len(world.objects)}", 0)
        elif not isinstance(item, syntax.ClassDeclaration | syntax.Enumeration):
            rest.append(item)
    parameters = _parameters(declarations)
    builder = Builder(parameters)
    rules = [
        _rule(item, world, parameters) for item in rest if isinstance(item, syntax.RuleDefinition)
    ]
    others = [item for item in rest if not isinstance(item, syntax.RuleDefinition)]
    root = builder.body(others, Scope(world, None))
    return Model(
        enums=declarations.enums,
        classes=_classes(world, parameters),
        objects=tuple(world.objects),
        strings=tuple(world.strings),
        rules=tuple(rules),
        root=root,
        horizon=_horizon(world),
        texts=texts,
    )


def _parameters(declarations: Declarations) -> dict[str, dict[str, Mapping[str, Type]]]:
    """By class and predicate, inherited ones too."""
    result: dict[str, dict[str, Mapping[str, Type]]] = {}
    for name, item in declarations.classes.items():
        found = result.setdefault(name, {})
        if item.kind == "reservoir":
            found.update(dict.fromkeys(TRANSACTIONS, _TRANSACTION))
        for ancestor in reversed(item.lineage):
            declared = declarations.classes[ancestor].declared
            for predicate in declared.predicates if declared else ():
                found[predicate.name] = {
                    part.name: declarations.chosen_type(part)
                    for part in predicate.body
                    if isinstance(part, syntax.VariableDeclaration)
                }
    return result


def _rule(
    item: syntax.RuleDefinition,
    world: World,
    parameters: Mapping[str, Mapping[str, Mapping[str, Type]]],
) -> model.Rule:
    classes = world.declarations.classes
    if item.class_name not in classes:
        raise item.place.error(no_such("class", item.class_name, classes))
    if classes[item.class_name].kind == "reservoir":
        raise item.place.unsupported("a rule about the transactions of a reservoir is given")
    known = parameters[item.class_name]
    if item.predicate not in known:
        raise item.place.error(no_such("predicate", item.predicate, known))
    builder = Builder(parameters)
    master = master_of(item.class_name, item.predicate, known[item.predicate])
    body = builder.body(item.body, Scope(world, master))
    return model.Rule(item.class_name, item.predicate, body, item.place)


def _classes(
    world: World, parameters: Mapping[str, Mapping[str, Mapping[str, Type]]]
) -> dict[str, model.Class]:
    declarations = world.declarations
    result = {}
    for name, item in declarations.classes.items():
        parent = item.lineage[1] if len(item.lineage) > 1 else None
        predicates = {
            predicate: _predicate(name, predicate, types, world)
            for predicate, types in parameters[name].items()
        }
        result[name] = model.Class(name, parent, item.kind, item.members, predicates)
    return result


def _predicate(owner: str, name: str, types: Mapping[str, Type], world: World) -> model.Predicate:
    declared = world.declarations.predicate_owner(owner, name)
    body: Body = ()
    if declared is not None:
        scope = Scope(world, master_of(owner, name, types))
        body = tuple(
            check for item in declared.body for check in _predicate_checks(item, types, scope)
        )
    return model.Predicate(owner, name, types, body)


def _predicate_checks(
    item: Statement, types: Mapping[str, Type], scope: Scope
) -> list[TermComparison]:
    if isinstance(item, syntax.VariableDeclaration):
        if item.conditions:
            raise item.place.unsupported("a parameter has conditions of its own")
        if item.value is None:
            return []
        target = syntax.Name((item.name,), item.place)
        both = (target, item.value)
        return [constraint(syntax.Constraint("eq", both, item.place), scope)]
    if isinstance(item, syntax.Assignment):
        both = (item.target, item.value)
        return [constraint(syntax.Constraint("eq", both, item.place), scope)]
    if isinstance(item, syntax.Constraint):
        return [constraint(item, scope)]
    raise item.place.unsupported("a predicate holds more than parameters and constraints")


def _horizon(world: World) -> tuple[int, int] | None:
    configurations = [o for o in world.objects if o.class_name == "PlannerConfig"]
    if not configurations:
        return None
    members = configurations[0].members
    return check_horizon((members["m_horizonStart"], members["m_horizonEnd"]))


def check_horizon(horizon: tuple[int, int]) -> tuple[int, int]:
    """The horizon itself, if it has between 1 and `MAX_HORIZON` steps."""
    start, end = horizon
    if not 1 <= end - start <= MAX_HORIZON:
        raise InputError(
            f"the horizon from {start} to {end} must have between 1 and {MAX_HORIZON} steps"
        )
    return horizon


def duration_bounds(predicate: model.Predicate) -> tuple[int, int | None]:
    """The least and the largest duration that a predicate's own constraints name."""
    return _durations(predicate.body)


def least_duration(found: model.Model, thing: model.Object, predicate: str) -> int:
    """The least duration of a token that its predicate's constraints and its rules name."""
    bodies = [found.rules[number].body for number in found.rules_of(thing, predicate)]
    bodies.append(found.predicate(thing, predicate).body)
    return max(_durations(body)[0] for body in bodies)


def _durations(body: model.Body) -> tuple[int, int | None]:
    low, high = 1, None
    duration = Field(MASTER, "duration", NUMBER)
    for item in body:
        if not isinstance(item, TermComparison) or item.comparison == "neq":
            continue
        below, above = _bounds(item, duration)
        low = max(low, below or 1)
        if above is not None:
            high = above if high is None else min(high, above)
    return low, high


def _bounds(item: TermComparison, duration: Field) -> tuple[int | None, int | None]:
    """The bounds on the duration from a comparison with a known value."""
    slack = int(item.comparison == "lt")
    other = item.right if item.left == duration else item.left
    if duration not in (item.left, item.right):
        return None, None
    if isinstance(other, model.Between):
        return other.low, other.high
    if isinstance(other, model.OneOf):
        return min(other.values), max(other.values)
    if not isinstance(other, model.Constant):
        return None, None
    if item.comparison == "eq":
        return other.value, other.value
    if item.left == duration:
        return None, other.value - slack
    return other.value + slack, None
