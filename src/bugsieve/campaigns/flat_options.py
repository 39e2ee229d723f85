"""Options of cost testing in one flat table, with the names that `bugsieve test` gives them.

Files of checks and `bugsieve.check` are two more views of the options dataclass.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from bugsieve.base.arguments import texts
from bugsieve.base.errors import InputError
from bugsieve.base.names import no_such
from bugsieve.base.option_fields import FieldPlace, places
from bugsieve.campaigns.option_tables import options_of
from bugsieve.campaigns.options import CostOptions, with_typed_walks
from bugsieve.pipeline.pool.options import FuzzOptions

_OWN = (
    *("unit_cost", "objective", "oracles", "mode", "escalate_to", "step_limit", "workers"),
    *("examples", "whole"),
)
_OF_WALKS = {field.name for field in fields(FuzzOptions)} - {"seed", "test_states"}
_PARTS = ("stop", "oracles", "limits", "policy_limits", "policy_seed")


def _places() -> Mapping[str, list[FieldPlace]]:
    """Where in the options a name belongs."""
    found = {place.path: place for place in places(CostOptions)}
    named = {name: [found[name,]] for name in _OWN}
    named |= {field.name: [found["fuzz", field.name]] for field in fields(FuzzOptions)}
    for part in _PARTS:
        for place in found.values():
            if place.path[0] == part and place.option is not None:
                named.setdefault(place.dest, []).append(place)
    return named


_PLACES = _places()


def flat_options(
    policy: str,
    table: Mapping[str, Any],
    *,
    place: str,
    folder: str = "",
    others: tuple[str, ...] = (),
) -> CostOptions:
    """The options of a policy that is typed in a folder; `place` names the table in errors.

    A name may be written with hyphens, as on the command line. `others` are names that the table
    might have had as well.
    """
    nested: dict[str, Any] = {"task": (), "policy": policy, "policy_folder": folder}
    for key, value in table.items():
        name = key.replace("-", "_")
        if name not in _PLACES:
            raise InputError(f"{place}: {no_such('option', key, (*others, *_PLACES))}")
        for found in _PLACES[name]:
            _put(nested, found.path, _plain(name, found, value, place))
    options = options_of(CostOptions, nested, place=place)
    return with_typed_walks(options) if _OF_WALKS & nested.get("fuzz", {}).keys() else options


def _put(table: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    *folders, name = path
    for folder in folders:
        table = table.setdefault(folder, {})
    table[name] = value


def _plain(name: str, found: FieldPlace, value: Any, place: str) -> Any:
    """The value as the options dataclass has it."""
    if found.path == ("oracles",):
        return texts(value, f"{place}: {name}")
    return found.to_field(value) if type(value) is int else value
