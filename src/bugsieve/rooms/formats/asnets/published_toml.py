"""ASNets in the later form of published files: TOML texts, read as the data of strangers.

Modules are numbered, not named: actions in the order of the domain, predicates likewise after
equality, which is 0. So the domain that stands in the file must have the schemas of ours, or what
is for another domain with modules of the same shapes would pass for ours.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.toml import parse_toml
from bugsieve.rooms.formats.asnets.published import ModuleTensor, Published, checked_size
from bugsieve.rooms.formats.asnets.signature import Signature, signature_of
from bugsieve.rooms.formats.networks.network import shortened
from bugsieve.tasks.pddl.summary import summarise_domain

_MAX_BYTES = 8 << 20
_START = b"[asnets]"
_EQUALITY = "="
_OTHER_INPUTS = {
    "lmc": "landmarks",
    "op_history": "how often actions were taken",
    "osp_all_soft_goals": "soft goals",
}
_PARTS = {"weights": "weight", "bias": "bias"}


def is_published_toml(data: bytes) -> bool:
    """Return true if the bytes begin as such a file does."""
    return data.lstrip().startswith(_START)


def read_published_toml(file: str, data: bytes, signature: Signature) -> Published:
    """The network in the bytes of a file; the signature tells the names of its modules."""
    if len(data) > _MAX_BYTES:
        raise InputError(f"{file}: is larger than {_MAX_BYTES >> 20} MiB, the limit for TOML")
    config = _table(file, parse_toml(_text(file, data), file), "asnets")
    for key, inputs in _OTHER_INPUTS.items():
        if config.get(key, False) is not False:
            raise InputError(f"{file}: its network looks at {inputs} ({key}), which ours do not")
    model = _table(file, config, "model")
    domain = shortened(model.get("domain_name", "unknown"))
    _require_domain(f"{file}: is for domain {domain!r}", file, config, signature)
    return Published(
        file,
        domain,
        checked_size(file, config.get("hidden_dimension"), "hidden_dimension"),
        checked_size(file, config.get("num_layers"), "num_layers"),
        _blobs(file, model, signature),
    )


def _text(file: str, data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{file}: is no UTF-8 text, as TOML files are") from None


def _table(file: str, content: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    found = content.get(key)
    if not isinstance(found, dict):
        raise InputError(f"{file}: is no whole ASNet, it has no table {key!r}")
    return found


def _require_domain(
    start: str, file: str, config: Mapping[str, Any], signature: Signature
) -> None:
    """InputError unless the domain in the file gives the same modules the same numbers."""
    text = _table(file, config, "train_data").get("domain")
    if not isinstance(text, str):
        raise InputError(
            f"{file}: has no text of its domain at asnets.train_data.domain, so nobody can tell "
            "which action a module is for"
        )
    try:
        theirs = signature_of(summarise_domain(text.encode("utf-8")))
    except InputError as error:
        raise InputError(f"{file}: the domain in it cannot be read: {error}") from None
    for kind, found, wanted in (
        ("actions", list(theirs.readable.values()), list(signature.readable.values())),
        ("predicates", list(theirs.predicates), list(signature.predicates)),
    ):
        if found != wanted:
            raise InputError(f"{start}: its {kind} {_difference(found, wanted)}")


def _difference(found: Sequence[str], wanted: Sequence[str]) -> str:
    """The difference of two lists; the first place alone is named."""
    for number, (theirs, ours) in enumerate(zip(found, wanted, strict=False), 1):
        if theirs != ours:
            return f"differ: number {number} is {shortened(theirs)!r} there, {ours!r} here"
    return f"are {len(found)} there, and {len(wanted)} here"


def _blobs(file: str, model: Mapping[str, Any], signature: Signature) -> dict[ModuleTensor, bytes]:
    names = {
        "action": [schema.name for schema in signature.schemas],
        "predicate": [_EQUALITY, *signature.predicates],
    }
    blobs: dict[ModuleTensor, bytes] = {}
    for kind, key, number in (
        ("action", "action_module", "action_id"),
        ("predicate", "proposition_module", "pred_id"),
    ):
        for where, module in _modules(file, model, key):
            layer = _number(where, module, "layer", 1 << 16)
            name = names[kind][_number(where, module, number, len(names[kind]))]
            for field, part in _PARTS.items():
                place = ModuleTensor(kind, part, layer, name)
                if place in blobs:
                    raise InputError(f"{where}: {kind} {name!r} of layer {layer} is twice")
                blobs[place] = _blob(where, module, field)
    return blobs


def _modules(
    file: str, model: Mapping[str, Any], key: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The modules of a list, each with how it is called in errors."""
    found = model.get(key)
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        raise InputError(f"{file}: is no whole ASNet, it has no list of tables asnets.model.{key}")
    for number, module in enumerate(found, 1):
        yield f"{file}: {key} {number}", module


def _number(where: str, module: Mapping[str, Any], key: str, end: int) -> int:
    found = module.get(key)
    if type(found) is not int or not 0 <= found < end:
        raise InputError(f"{where}: its {key} is {shortened(found)}, and must be below {end}")
    return found


def _blob(where: str, module: Mapping[str, Any], field: str) -> bytes:
    text, size = module.get(field), module.get(f"{field}_size")
    try:
        if not isinstance(text, str):
            raise ValueError
        blob = base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError):
        raise InputError(f"{where}: its {field} are no base64 text") from None
    if size != len(blob) // 4 or len(blob) % 4:
        raise InputError(
            f"{where}: its {field} are {len(blob)} bytes, not the {shortened(size)} 32-bit floats "
            f"that {field}_size says"
        )
    return blob
