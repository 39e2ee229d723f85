"""Fills parsers from the fields of options dataclasses, and makes options of parsed arguments."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import fields, replace
from types import MappingProxyType
from typing import Any, TypeVar

from bugsieve.base.arguments import without_none
from bugsieve.base.option_fields import FieldPlace, OptionField, default_of, places
from bugsieve.commands.shared.numbers import real_number, seconds, whole_number
from bugsieve.commands.shared.options import Options

AnyOptions = TypeVar("AnyOptions")

_NONE: Mapping[str, Any] = MappingProxyType({})


def add_options(
    parser: argparse.ArgumentParser, kind: type, group: str, *, without: Collection[str] = ()
) -> None:
    """Add a group with the options that fields of the class declare in it, but for some."""
    add_to_group(Options(parser, group), kind, group, without=without)


def add_to_group(
    options: Options,
    kind: type,
    group: str,
    *,
    without: Collection[str] = (),
    remarks: Mapping[str, str] = _NONE,
    types: Mapping[str, Callable[[str], Any]] = _NONE,
) -> None:
    """The same for a group that has other options, too.

    By the names of options: what follows the help, and how a value is read otherwise.
    """
    for option, place in shown_options(kind, group):
        if place.flag not in without:
            settings = _settings(option, place, remarks.get(place.flag, ""))
            settings |= {"type": types[place.flag]} if place.flag in types else {}
            _add(options, option, place, settings)


def shown_options(kind: type, group: str) -> list[tuple[OptionField, FieldPlace]]:
    """The options of a group in their order, and which values they set."""
    shown = [
        (place.option, place)
        for place in places(kind)
        if place.option is not None and place.option.help and place.option.group == group
    ]
    return sorted(shown, key=lambda pair: pair[0].rank)


def _settings(option: OptionField, place: FieldPlace, remark: str) -> dict[str, Any]:
    """What argparse is told of an option."""
    default = _default(option, place)
    text = f"{option.help}{_told(option, default)}{remark}"
    return {"dest": place.dest, "default": default, "help": text, **_reading(option, place)}


def _add(
    options: Options, option: OptionField, place: FieldPlace, settings: dict[str, Any]
) -> None:
    if option.alias is None:
        options.add(f"--{place.flag}", **settings)
        return
    either = options.exclusive()
    either.add_argument(f"--{place.flag}", **settings)
    name, prefix, metavar, help = option.alias
    settings |= {"action": _prefixed(prefix), "metavar": metavar, "help": help}
    either.add_argument(f"--{name}", **settings)


def _default(option: OptionField, place: FieldPlace) -> Any:
    if option.usual is not None:
        return option.usual
    return None if isinstance(place.default, tuple) else place.to_argument(place.default)


def _told(option: OptionField, default: Any) -> str:
    """The default in parentheses, where the help does not tell it in its own words."""
    is_number = isinstance(default, (int, float)) and not isinstance(default, bool)
    if not is_number and not option.is_default_told:
        return ""
    return f" ({default:g})" if option.is_time else f" ({default})"


def _reading(option: OptionField, place: FieldPlace) -> dict[str, Any]:
    """How argparse reads the values."""
    kind = without_none(place.type)
    if option.const is not None:
        return {"action": "store_const", "const": option.const}
    if kind is bool:
        return {"action": "store_true"}
    if option.choices:
        return {"choices": option.choices}
    if kind is int or kind is float:
        return {"type": _number(option, kind), "metavar": option.metavar}
    return {"metavar": option.metavar, **({} if kind is str else {"action": "append"})}


def _number(option: OptionField, kind: type) -> Callable[[str], float]:
    if option.is_time:
        return seconds()
    if kind is float:
        return real_number(option.least, option.most)
    return whole_number(int(option.least), int(option.most))


def _prefixed(prefix: str) -> type[argparse.Action]:
    """Puts a prefix before what is typed; as a `type`, it would be applied to defaults as well."""

    class Prefixed(argparse.Action):
        def __call__(
            self,
            parser: argparse.ArgumentParser,
            namespace: argparse.Namespace,
            values: object,
            option_string: str | None = None,
        ) -> None:
            setattr(namespace, self.dest, f"{prefix}{values}")

    return Prefixed


def options_from(args: argparse.Namespace, kind: type[AnyOptions], **others: Any) -> AnyOptions:
    """Options of a kind: the others, and each value that is among the arguments."""
    wanted = [place for place in places(kind) if place.path[0] not in others]
    inner = dict.fromkeys(place.path[0] for place in wanted if len(place.path) > 1)
    held = {name: part_from(args, kind, name) for name in inner}
    own = [place for place in wanted if len(place.path) == 1]
    return kind(**_values(args, own), **held, **others)


def part_from(args: argparse.Namespace, kind: type, name: str) -> Any:
    """The options that a field of a kind holds."""
    (part,) = (part for part in fields(kind) if part.name == name)
    given = [place for place in places(kind) if place.path[0] == name]
    return replace(default_of(part), **_values(args, given))


def arguments_of(options: Any) -> dict[str, Any]:
    """The values of the options as they are among arguments; the inverse of `options_from`."""
    return {
        place.dest: place.to_argument(place.value_in(options)) for place in places(type(options))
    }


def _values(args: argparse.Namespace, wanted: Iterable[FieldPlace]) -> dict[str, Any]:
    """The values that are among the arguments, by the last names of their places."""
    given = vars(args)
    return {
        place.path[-1]: place.to_field(given[place.dest])
        for place in wanted
        if place.dest in given
    }
