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
from bugsieve.campaigns.option_tables import options_of
from bugsieve.campaigns.options import CostOptions, with_typed_walks
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.pipeline.pool.options import FuzzOptions

_OWN = (
    *("unit_cost", "objective", "oracles", "mode", "escalate_to", "step_limit", "workers"),
    *("examples", "whole"),
)
_OF_WALKS = {field.name for field in fields(FuzzOptions)} - {"seed", "test_states"}
_MEBIBYTE = 1 << 20

_PLACES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    **{name: ((name,),) for name in _OWN},
    **{field.name: (("fuzz", field.name),) for field in fields(FuzzOptions)},
    **{field.name: (("stop", field.name),) for field in fields(StopRules)},
    "oracle": (("oracles",),),
    "seed": (("policy_seed",), ("fuzz", "seed")),
    "expansions": (("limits", "expansions"),),
    "oracle_time": (("limits", "seconds"),),
    "oracle_memory": (("limits", "bytes"),),
    "deadline": (("policy_limits", "deadline"),),
    "memory": (("policy_limits", "memory_mb"),),
    "hash_seed": (("policy_limits", "hash_seed"),),
}
"""Where in the tables of the options a name belongs."""


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
        for path in _PLACES[name]:
            _put(nested, path, _plain(name, value, place))
    options = options_of(CostOptions, nested, place=place)
    return with_typed_walks(options) if _OF_WALKS & nested.get("fuzz", {}).keys() else options


def _put(table: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    *folders, name = path
    for folder in folders:
        table = table.setdefault(folder, {})
    table[name] = value


def _plain(name: str, value: Any, place: str) -> Any:
    """The value as the options dataclass has it."""
    if name in ("oracle", "oracles"):
        return texts(value, f"{place}: {name}")
    if name == "oracle_memory" and type(value) is int:
        return value * _MEBIBYTE
    return value
