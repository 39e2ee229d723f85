"""Enumerations and classes: what names stand for, checked against each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bugsieve.base.names import no_such
from bugsieve.rooms.timelines.models import model
from bugsieve.rooms.timelines.models.model import BOOL, BUILT_IN, NUMBER, STRING, ClassKind, Type
from bugsieve.rooms.timelines.nddl import syntax
from bugsieve.rooms.timelines.nddl.syntax import Place

_SIMPLE = {"int": NUMBER, "float": NUMBER, "bool": BOOL, "string": STRING}
_KINDS: Mapping[str, ClassKind] = {
    "Object": "object",
    "Timeline": "timeline",
    "Reservoir": "reservoir",
    "PlannerConfig": "settings",
}
_RESERVED = {"start", "end", "duration", "object", "state", "this"}
_LEVELS = dict.fromkeys(("initialCapacity", "levelLimitMin", "levelLimitMax"), NUMBER)
_HORIZON = dict.fromkeys(("m_horizonStart", "m_horizonEnd", "m_maxSteps"), NUMBER)
_BUILT_IN_MEMBERS: Mapping[str, Mapping[str, Type]] = {
    "Reservoir": _LEVELS,
    "PlannerConfig": _HORIZON,
}


@dataclass(frozen=True)
class ClassSyntax:
    """A class as its file has it, and its ancestors, itself first."""

    declared: syntax.ClassDeclaration | None
    lineage: tuple[str, ...]
    kind: ClassKind
    members: Mapping[str, Type]


@dataclass(frozen=True)
class Declarations:
    """All types that some files declare."""

    enums: Mapping[str, tuple[str, ...]]
    classes: Mapping[str, ClassSyntax]

    def type(self, name: str, place: Place) -> Type:
        """The type of a name."""
        if name in _SIMPLE:
            return _SIMPLE[name]
        if name in self.enums:
            return Type(name, "enum")
        if name in self.classes:
            return Type(name, "object")
        known = [*_SIMPLE, *self.enums, *self.classes]
        raise place.error(no_such("type", name, known))

    def chosen_type(self, item: syntax.VariableDeclaration) -> Type:
        """The type of a variable whose value a plan chooses, which must be one of a few or whole.

        Members and constants may be `float`: their values are there, and they are whole.
        """
        if item.type == "float":
            sentence = f"plans would have to choose the float {item.name!r} among all fractions"
            raise item.place.unsupported(f"{sentence} (write 'int', in units that make it whole)")
        return self.type(item.type, item.place)

    def enum_value(self, name: str) -> model.Constant | None:
        """The value of some enumeration that has this name."""
        for enum, values in self.enums.items():
            if name in values:
                return model.Constant(values.index(name), Type(enum, "enum"))
        return None

    def predicate_owner(
        self, class_name: str, predicate: str
    ) -> syntax.PredicateDeclaration | None:
        """The predicate of a class or of one that it extends."""
        for name in self.classes[class_name].lineage:
            declared = self.classes[name].declared
            for item in declared.predicates if declared else ():
                if item.name == predicate:
                    return item
        return None


def declare(statements: Sequence[syntax.Statement]) -> Declarations:
    """The declarations among some statements."""
    enums = _enums(s for s in statements if isinstance(s, syntax.Enumeration))
    found = [s for s in statements if isinstance(s, syntax.ClassDeclaration)]
    taken = {*_SIMPLE, *enums, *BUILT_IN}
    by_name: dict[str, syntax.ClassDeclaration] = {}
    for declared in found:
        if declared.name in taken or declared.name in by_name:
            sentence = f"the name {declared.name!r} is already taken by another type"
            raise declared.place.error(sentence)
        by_name[declared.name] = declared
    lineages = {name: _lineage(name, by_name) for name in (*BUILT_IN, *by_name)}
    classes: dict[str, ClassSyntax] = {}
    known = Declarations(enums, classes)
    # Types of members may be classes that come later: names first, members after that.
    for name, lineage in lineages.items():
        classes[name] = ClassSyntax(by_name.get(name), lineage, _kind(lineage), {})
    members = {name: _members(name, known) for name in classes}
    for name, item in list(classes.items()):
        classes[name] = ClassSyntax(item.declared, item.lineage, item.kind, members[name])
        _check_predicates(name, known)
    return known


def _enums(found: Iterable[syntax.Enumeration]) -> dict[str, tuple[str, ...]]:
    enums: dict[str, tuple[str, ...]] = {}
    values: set[str] = set()
    for item in found:
        if item.name in enums or item.name in _SIMPLE or item.name in BUILT_IN:
            raise item.place.error(f"the name {item.name!r} is already taken by another type")
        for value in item.values:
            if value in values:
                raise item.place.error(f"the value {value!r} is declared twice")
            values.add(value)
        enums[item.name] = item.values
    return enums


def _lineage(name: str, classes: Mapping[str, syntax.ClassDeclaration]) -> tuple[str, ...]:
    lineage = [name]
    while lineage[-1] in classes:
        item = classes[lineage[-1]]
        parent = item.parent or "Object"
        if parent in lineage:
            raise item.place.error(f"the class {item.name!r} extends itself")
        if parent not in classes and parent not in BUILT_IN:
            raise item.place.error(no_such("class", parent, [*BUILT_IN, *classes]))
        lineage.append(parent)
    return tuple(lineage)


def _kind(lineage: tuple[str, ...]) -> ClassKind:
    return _KINDS[next(name for name in lineage if name in BUILT_IN)]


def _members(name: str, known: Declarations) -> dict[str, Type]:
    members: dict[str, Type] = {}
    for ancestor in reversed(known.classes[name].lineage):
        members |= _BUILT_IN_MEMBERS.get(ancestor, {})
        declared = known.classes[ancestor].declared
        for item in declared.members if declared else ():
            if item.name in members and ancestor == name and item.name not in _LEVELS:
                raise item.place.error(f"the member {item.name!r} is declared twice")
            members[item.name] = known.type(item.type, item.place)
    return members


def _check_predicates(name: str, known: Declarations) -> None:
    seen: set[str] = set()
    for ancestor in known.classes[name].lineage:
        declared = known.classes[ancestor].declared
        for item in declared.predicates if declared else ():
            if item.name in seen:
                raise item.place.error(f"the predicate {item.name!r} is declared twice in {name}")
            if known.classes[name].kind == "reservoir":
                raise item.place.unsupported(f"the reservoir {name!r} has a predicate of its own")
            seen.add(item.name)
            _check_parameters(item)


def _check_parameters(item: syntax.PredicateDeclaration) -> None:
    names = [part.name for part in item.body if isinstance(part, syntax.VariableDeclaration)]
    for number, name in enumerate(names):
        if name in _RESERVED or name in names[:number]:
            raise item.place.error(f"the parameter {name!r} of {item.name!r} is declared twice")
