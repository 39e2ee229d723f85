"""Options of commands as fields of dataclasses: what is said of each is said once, there.

    walks: int = option(1000, "walks to make", group="walks")

Parsers of commands are filled from these fields (`bugsieve.commands.shared.option_fields`); files
of checks and campaigns that are made again read them, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, is_dataclass, replace
from typing import Any, NamedTuple, get_origin

from bugsieve.base.arguments import field_types

MOST = 10**12
MEBIBYTE = 1 << 20
_UNLIMITED = 1 << 30


class Alias(NamedTuple):
    """Another option for the same field, in place of the first: it puts a prefix before a text."""

    name: str
    prefix: str
    metavar: str
    help: str


@dataclass(frozen=True, kw_only=True)
class OptionField:
    """The form in which commands show a field; type and usually default are the field's."""

    help: str = ""
    """Empty: commands that have the option declare it themselves."""
    group: str = ""
    """Title of the group that it belongs to."""
    rank: int = 0
    """Order in its group; those of one rank have the order of the fields."""
    name: str = ""
    """With hyphens, where it is not the field's name."""
    dest: str = ""
    """Name among the parsed arguments, where it is not the option's."""
    metavar: str = "N"
    least: float = 1
    most: float = MOST
    is_time: bool = False
    """A number of seconds, above 0."""
    scale: int = 1
    """Units of the field in one unit of the option, as bytes in a MiB."""
    choices: Sequence[str] = ()
    const: str | None = None
    """The option takes no value: it is for this one."""
    usual: Any = None
    """The default of commands; None for that of the field."""
    is_default_told: bool = False
    """True if the help tells a default that is a text; that of a number is always told."""
    alias: Alias | None = None


@dataclass(frozen=True)
class FieldPlace:
    """The place of a value in nested options."""

    path: tuple[str, ...]
    type: Any
    default: Any
    option: OptionField | None

    @property
    def dest(self) -> str:
        """Its name among parsed arguments: the option's, or the path of what only Python sets."""
        if self.option is None:
            return ".".join(self.path)
        return self.option.dest or self.flag.replace("-", "_")

    @property
    def flag(self) -> str:
        """What the command line calls it, without dashes in front."""
        named = self.option.name if self.option is not None else ""
        return named or self.path[-1].replace("_", "-")

    def value_in(self, options: Any) -> Any:
        """The value that the options have here."""
        for name in self.path:
            options = getattr(options, name)
        return options

    def to_field(self, argument: Any) -> Any:
        """An argument in the unit of the field; what was never given is an empty list."""
        if get_origin(self.type) is tuple:
            return tuple(argument or ())
        scale = 1 if self.option is None else self.option.scale
        return argument if scale == 1 or argument is None else argument * scale

    def to_argument(self, value: Any) -> Any:
        """The inverse; what has no limit is more MiB than there are."""
        if self.option is None or self.option.scale == 1:
            return value
        return _UNLIMITED if value is None else max(1, value // self.option.scale)


def option(default: Any, help: str = "", **settings: Any) -> Any:
    """A field with this default that is an option; settings are those of `OptionField`."""
    return field(default=default, metadata={"option": OptionField(help=help, **settings)})


def parts(**options: OptionField) -> dict[str, Any]:
    """Metadata of a field that holds options of its own: commands show these parts so.

    Defaults that a factory changes must be said (`OptionField.usual`): parsers make no options.
    """
    return {"parts": options}


def places(kind: Any) -> tuple[FieldPlace, ...]:
    """All values in options of this class and in those that they hold, in the order of fields."""
    types = field_types(kind)
    return tuple(place for part in fields(kind) for place in _places(part, types[part.name]))


def _places(part: Field[Any], kind: Any) -> list[FieldPlace]:
    """Those of one field."""
    if not is_dataclass(kind):
        return [FieldPlace((part.name,), kind, part.default, part.metadata.get("option"))]
    inner = places(kind)
    if part.default is not MISSING:
        inner = tuple(replace(place, default=place.value_in(part.default)) for place in inner)
    own = part.metadata.get("parts", {})
    return [
        replace(place, path=(part.name, *place.path), option=own.get(place.path[0], place.option))
        for place in inner
    ]


def default_of(part: Field[Any]) -> Any:
    """The default of a field; MISSING if it has none."""
    return part.default if part.default_factory is MISSING else part.default_factory()
