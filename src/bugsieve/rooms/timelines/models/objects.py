"""Makes the objects of a model: runs constructors on values that are all known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bugsieve.base.names import no_such, suggest
from bugsieve.rooms.timelines.models.declarations import Declarations
from bugsieve.rooms.timelines.models.model import BOOL, NUMBER, STRING, Constant, Object, Type
from bugsieve.rooms.timelines.nddl import syntax
from bugsieve.rooms.timelines.nddl.syntax import Place
from bugsieve.rooms.timelines.nddl.trees import MAX_NUMBER

MAX_OBJECTS = 500
MAX_NESTING = 20
"""The greatest depth of constructors that call each other."""
_BUILT_IN_PARAMETERS = {
    "Object": (0, ()),
    "Timeline": (0, ()),
    "Reservoir": (3, ("initialCapacity", "levelLimitMin", "levelLimitMax")),
    "PlannerConfig": (2, ("m_horizonStart", "m_horizonEnd", "m_maxSteps")),
}
"""The number of arguments needed, and the members that the arguments become."""


@dataclass
class World:
    """Objects and global names, as far as they are known."""

    declarations: Declarations
    objects: list[Object] = field(default_factory=list)
    strings: list[str] = field(default_factory=list)
    names: dict[str, Constant] = field(default_factory=dict)

    def define(self, item: syntax.VariableDeclaration) -> None:
        """A global variable: a value or an object."""
        type_ = self.declarations.type(item.type, item.place)
        if item.name in self.names:
            raise item.place.error(f"the name {item.name!r} is declared twice")
        if item.value is None:
            raise item.place.unsupported(f"the global variable {item.name!r} has no value")
        value = self.evaluate(item.value, {}, item.name, 0)
        self.check(value, type_, item.value.place)
        self.names[item.name] = value

    def make(
        self, item: syntax.New, names: Mapping[str, Constant], name: str, depth: int
    ) -> Constant:
        """Run the constructor of a class."""
        declared = self.declarations.classes.get(item.type)
        if declared is None:
            classes = self.declarations.classes
            raise item.place.error(no_such("class", item.type, classes))
        if depth > MAX_NESTING:
            raise item.place.error(f"constructors call each other more than {MAX_NESTING} deep")
        if len(self.objects) >= MAX_OBJECTS:
            raise item.place.error(f"there are more than {MAX_OBJECTS} objects")
        members: dict[str, int] = {}
        made = Object(len(self.objects), name, item.type, members)
        self.objects.append(made)
        arguments = [
            self.evaluate(argument, names, f"{name}.{number}", depth)
            for number, argument in enumerate(item.arguments)
        ]
        self._construct(made, members, item.type, arguments, item.place, depth)
        return Constant(made.number, Type(item.type, "object"))

    def _construct(
        self,
        made: Object,
        members: dict[str, int],
        class_name: str,
        arguments: list[Constant],
        place: Place,
        depth: int,
    ) -> None:
        declared = self.declarations.classes[class_name].declared
        if declared is None:
            self._construct_built_in(members, class_name, arguments, place)
            return
        for member in declared.members:
            if member.value is not None:
                value = self.evaluate(member.value, {}, f"{made.name}.{member.name}", depth + 1)
                self._set(made, members, member.name, value, member.place)
        fitting = [c for c in declared.constructors if len(c.parameters) == len(arguments)]
        parent = self.declarations.classes[class_name].lineage[1]
        if not fitting and declared.constructors:
            raise place.error(f"no constructor of {class_name!r} takes {len(arguments)} arguments")
        if not fitting:
            self._construct(made, members, parent, arguments, place, depth + 1)
            return
        constructor = fitting[0]
        if constructor.name != class_name:
            raise constructor.place.error(f"a constructor of {class_name!r} is called like it")
        names = {}
        for parameter, value in zip(constructor.parameters, arguments, strict=True):
            type_ = self.declarations.type(parameter.type, parameter.place)
            self.check(value, type_, place)
            names[parameter.name] = value
        self._run(made, members, constructor, parent, names, depth)

    def _run(
        self,
        made: Object,
        members: dict[str, int],
        constructor: syntax.Constructor,
        parent: str,
        names: dict[str, Constant],
        depth: int,
    ) -> None:
        names = {**names, "this": Constant(made.number, Type(made.class_name, "object"))}
        for item in constructor.body:
            if isinstance(item, syntax.Assignment):
                parts = item.target.parts[item.target.parts[0] == "this" :]
                if len(parts) != 1:
                    raise item.place.unsupported(f"a constructor sets {item.target}")
                value = self.evaluate(item.value, names, f"{made.name}.{parts[0]}", depth + 1)
                self._set(made, members, parts[0], value, item.place)
            elif isinstance(item, syntax.Call) and item.method == "super":
                given = [
                    self.evaluate(argument, names, made.name, depth + 1)
                    for argument in item.arguments
                ]
                self._construct(made, members, parent, given, item.place, depth + 1)
            else:
                raise item.place.unsupported("a constructor does more than to set members")

    def _construct_built_in(
        self, members: dict[str, int], class_name: str, arguments: list[Constant], place: Place
    ) -> None:
        least, parameters = _BUILT_IN_PARAMETERS[class_name]
        if len(arguments) < least or (class_name != "PlannerConfig" and len(arguments) > least):
            wanted = ", ".join(parameters) or "no arguments"
            raise place.unsupported(
                f"{class_name} is made of {len(arguments)} arguments in place of {wanted}"
            )
        for parameter, value in zip(parameters, arguments, strict=False):
            self.check(value, NUMBER, place)
            members[parameter] = value.value
        if class_name == "Reservoir":
            level, low, high = (members[name] for name in parameters)
            if not low <= level <= high:
                raise place.error(f"the level {level} is not between {low} and {high}")

    def _set(
        self, made: Object, members: dict[str, int], name: str, value: Constant, place: Place
    ) -> None:
        types = self.declarations.classes[made.class_name].members
        if name not in types:
            sentence = f"{made.class_name!r} has no member {name!r}{suggest(name, types)}"
            raise place.error(sentence)
        self.check(value, types[name], place)
        members[name] = value.value

    def evaluate(
        self, item: syntax.Expression, names: Mapping[str, Constant], name: str, depth: int
    ) -> Constant:
        """The value of an expression all of whose names are known."""
        if isinstance(item, syntax.New):
            return self.make(item, names, name, depth + 1)
        if isinstance(item, syntax.Number):
            return Constant(item.value, NUMBER)
        if isinstance(item, syntax.Truth):
            return Constant(int(item.value), BOOL)
        if isinstance(item, syntax.StringLiteral):
            return Constant(self.string(item.value), STRING)
        if isinstance(item, syntax.Name):
            return self._named(item, names)
        if isinstance(item, syntax.Arithmetic):
            left = self.evaluate(item.left, names, name, depth + 1)
            right = self.evaluate(item.right, names, name, depth + 1)
            self.check(left, NUMBER, item.place)
            self.check(right, NUMBER, item.place)
            result = _calculated(item, left.value, right.value)
            if abs(result) > MAX_NUMBER:
                raise item.place.error(f"numbers may be as large as {MAX_NUMBER}")
            return Constant(result, NUMBER)
        raise item.place.error("one value is expected here, not a range or a set")

    def string(self, text: str) -> int:
        """The number of a string."""
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def _named(self, item: syntax.Name, names: Mapping[str, Constant]) -> Constant:
        first, *rest = item.parts
        value = names.get(first) or self.names.get(first) or self.declarations.enum_value(first)
        if value is None and first in self.declarations.enums and len(rest) == 1:
            value, rest = self.declarations.enum_value(rest[0]), []
        if value is None:
            raise item.place.error(no_such("name", str(item), [*names, *self.names]))
        for part in rest:
            value = self.member(value, part, item.place)
        return value

    def member(self, value: Constant, name: str, place: Place) -> Constant:
        """The value of a member of an object."""
        types: Mapping[str, Type] = {}
        if value.type.kind == "object":
            types = self.declarations.classes[self.objects[value.value].class_name].members
        if name not in types:
            raise place.error(f"{value.type.name!r} has no member {name!r}{suggest(name, types)}")
        thing = self.objects[value.value]
        if name not in thing.members:
            raise place.error(f"the member {name!r} of {thing.name!r} is not set")
        return Constant(thing.members[name], types[name])

    def check(self, value: Constant, type_: Type, place: Place) -> None:
        """The value must be of the type."""
        if value.type == type_:
            return
        if value.type.kind == type_.kind == "object":
            thing = self.objects[value.value]
            if type_.name in self.declarations.classes[thing.class_name].lineage:
                return
        raise place.error(f"a value of type {type_.name} is expected, not of {value.type.name}")


def _calculated(item: syntax.Arithmetic, left: int, right: int) -> int:
    if item.sign == "*":
        return left * right
    return left + right if item.sign == "+" else left - right
