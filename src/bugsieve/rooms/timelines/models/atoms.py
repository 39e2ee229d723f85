"""The meaning of atoms of rules in a model: which tokens, which reservoir."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from bugsieve.base.errors import InputError
from bugsieve.base.names import no_such, suggest
from bugsieve.rooms.timelines.models.model import Model, Object, Type
from bugsieve.rooms.timelines.models.timeline_atoms import LevelAtom, TimelineAtom, TokenAtom

COMPARISONS: Mapping[str, Callable[[Fraction | int, Fraction | int], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
    "!=": operator.ne,
}


@dataclass(frozen=True)
class TokenCondition:
    """Some token of the predicate holds on one of the objects, with these parameters."""

    objects: tuple[int, ...]
    predicate: str
    arguments: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class LevelCondition:
    """The level of a reservoir compared with a number."""

    object: int
    comparison: str
    bound: Fraction


AtomCondition: TypeAlias = TokenCondition | LevelCondition


def resolve(name: str, atom: TimelineAtom, model: Model) -> AtomCondition:
    """The meaning of an atom; InputError if the model has no such thing."""
    try:
        return _level(atom, model) if isinstance(atom, LevelAtom) else _token(atom, model)
    except InputError as error:
        raise InputError(f"the atom {name!r}: {error}") from None


def _level(atom: LevelAtom, model: Model) -> LevelCondition:
    objects = [o for o in _objects(atom.reservoir, model) if model.kind(o) == "reservoir"]
    if len(objects) != 1:
        known = [o.name for o in model.objects if model.kind(o) == "reservoir"]
        raise InputError(
            f"{atom.reservoir!r} is not one reservoir; there are {', '.join(known) or 'none'}"
        )
    return LevelCondition(objects[0].number, atom.comparison, atom.bound)


def _token(atom: TokenAtom, model: Model) -> TokenCondition:
    objects = _objects(atom.timeline, model)
    classes = {model.classes[o.class_name].name: model.classes[o.class_name] for o in objects}
    if not objects:
        raise InputError(f"there is no object of the class {atom.timeline!r}")
    found = [
        c.predicates[atom.predicate] for c in classes.values() if atom.predicate in c.predicates
    ]
    if len(found) != len(classes) or any(c.kind == "reservoir" for c in classes.values()):
        known = sorted({name for c in classes.values() for name in c.predicates})
        raise InputError(no_such("predicate", atom.predicate, known))
    arguments = []
    for parameter, value in atom.arguments:
        if parameter not in found[0].parameters:
            raise InputError(no_such("parameter", parameter, found[0].parameters))
        type_ = found[0].parameters[parameter]
        arguments.append((parameter, _value(value, type_, model)))
    return TokenCondition(tuple(o.number for o in objects), atom.predicate, tuple(arguments))


def _objects(name: str, model: Model) -> tuple[Object, ...]:
    """Those of a class, or the one of this name."""
    if name in model.classes:
        return model.instances(name)
    found = tuple(o for o in model.objects if o.name == name)
    if not found:
        known = [*model.classes, *(o.name for o in model.objects)]
        raise InputError(f"there is no class or object {name!r}{suggest(name, known)}")
    return found


def _value(text: str, type_: Type, model: Model) -> int:
    if type_.kind == "number":
        number = _whole(text)
        if number is None:
            raise InputError(f"a whole number is expected, not {text!r}")
        return number
    values = model.values(type_) or ()
    shown = {str(model.show(value, type_)).lower(): value for value in values}
    exact = {str(model.show(value, type_)): value for value in values}
    if text in exact:
        return exact[text]
    if type_.kind == "bool" and text in shown:
        return shown[text]
    raise InputError(no_such(f"value of type {type_.name}", text, exact))


def _whole(text: str) -> int | None:
    try:
        value = Fraction(text)
    except ValueError:
        return None
    return int(value) if value.denominator == 1 else None
