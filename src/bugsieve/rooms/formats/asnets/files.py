"""Files of ASNets: our own, which carry the signature of their domain, and published ones."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bugsieve.base.allowances import allowance
from bugsieve.base.errors import InputError
from bugsieve.rooms.formats.asnets.published import is_published, read_published
from bugsieve.rooms.formats.asnets.published_toml import is_published_toml, read_published_toml
from bugsieve.rooms.formats.asnets.signature import Signature
from bugsieve.rooms.formats.asnets.sizes import MAX_HIDDEN, MAX_LAYERS
from bugsieve.rooms.formats.asnets.weights import (
    Module,
    Place,
    Weights,
    checked_module,
    make_weights,
    module_shapes,
)
from bugsieve.rooms.formats.networks.network import shortened
from bugsieve.rooms.formats.networks.safetensors import is_safetensors, read_tensors, write_tensors
from bugsieve.tasks.sources import read_input

FORMAT = "bugsieve asnet 1"
MAX_BYTES = 64 << 20
_TAKEN = "give a file that Bugsieve has trained, or a published .policy or TOML file"


def save_weights(
    path: str | os.PathLike[str],
    weights: Weights,
    signature: Signature,
    about: Mapping[str, str] | None = None,
) -> None:
    """Write the weights with the signature of their domain, and what else is known of them."""
    metadata = {
        **(about or {}),
        "format": FORMAT,
        "domain": signature.domain,
        "signature": signature.digest,
        "schemas": json.dumps(signature.readable, ensure_ascii=False),
        **sizes_of(weights),
    }
    write_tensors(Path(path), tensors_of(weights), metadata)


def tensors_of(weights: Weights, prefix: str = "") -> dict[str, NDArray[np.float32]]:
    """The arrays of all modules by the names they have in files."""
    tensors: dict[str, NDArray[np.float32]] = {}
    for place, module in weights.modules():
        tensors[f"{prefix}{_stem(place)}.weight"] = module.weight
        tensors[f"{prefix}{_stem(place)}.bias"] = module.bias
    return tensors


def sizes_of(weights: Weights) -> dict[str, str]:
    """The size of a network according to the metadata of files."""
    return {"hidden": str(weights.hidden), "layers": str(weights.layers)}


def load_weights(path: str | os.PathLike[str], signature: Signature) -> Weights:
    """The weights in a file for this domain; InputError says what is wrong or which differs."""
    with allowance(os.fspath(path)):
        return _load_weights(path, signature)


def _load_weights(path: str | os.PathLike[str], signature: Signature) -> Weights:
    file = os.fspath(path)
    data = read_input(path, kind="ASNet", max_bytes=MAX_BYTES)
    if is_published(data):
        return read_published(file, data).weights(signature)
    if is_published_toml(data):
        return read_published_toml(file, data, signature).weights(signature)
    if not is_safetensors(data):
        raise InputError(f"{file}: is no ASNet; {_TAKEN}")
    tensors, metadata = read_tensors(file, data)
    if metadata.get("format") != FORMAT:
        raise InputError(
            f"{file}: is no ASNet of ours, its metadata 'format' is "
            f"{shortened(metadata.get('format'))!r} and not {FORMAT!r}; {_TAKEN}"
        )
    _require_domain(file, metadata, signature)
    return weights_in(file, tensors, metadata, signature)[""]


def weights_in(
    file: str,
    tensors: Mapping[str, NDArray[Any]],
    metadata: Mapping[str, Any],
    signature: Signature,
    prefixes: Sequence[str] = ("",),
) -> dict[str, Weights]:
    """The weights that `tensors_of` gave, one for each prefix; InputError for other tensors."""
    sizes = {
        "hidden": _size(file, metadata, "hidden", MAX_HIDDEN),
        "layers": _size(file, metadata, "layers", MAX_LAYERS),
    }
    shapes = module_shapes(signature, **sizes)
    stems = [f"{prefix}{_stem(place)}" for prefix in prefixes for place in shapes]
    _require_names(file, tensors, stems)

    def module(prefix: str, place: Place, outputs: int, inputs: int) -> Module:
        parts = (tensors[f"{prefix}{_stem(place)}.{part}"] for part in ("weight", "bias"))
        return checked_module(file, place, *parts, shape=(outputs, inputs))

    return {
        prefix: make_weights(signature, partial(module, prefix), **sizes) for prefix in prefixes
    }


def _stem(place: Place) -> str:
    return f"{place.kind}.{place.layer}.{place.name}"


def _size(file: str, metadata: Mapping[str, Any], key: str, most: int) -> int:
    text = metadata.get(key)
    size = int(text) if isinstance(text, str) and re.fullmatch("[0-9]{1,8}", text) else 0
    if 1 <= size <= most:
        return size
    raise InputError(
        f"{file}: metadata {key!r} is {shortened(text)!r}, and must be a number from 1 to {most}"
    )


def _require_names(file: str, tensors: Mapping[str, object], stems: Iterable[str]) -> None:
    needed = dict.fromkeys(f"{stem}.{part}" for stem in stems for part in ("weight", "bias"))
    for name in needed:
        if name not in tensors:
            raise InputError(f"{file}: has no tensor {name!r}, which the domain needs")
    for name in tensors:
        if name not in needed:
            raise InputError(f"{file}: has a tensor {name!r}, which the domain does not need")


def _require_domain(file: str, metadata: Mapping[str, Any], signature: Signature) -> None:
    """InputError that names the first schema that differs, unless the signatures are equal."""
    if metadata.get("signature") == signature.digest:
        return
    domain = shortened(metadata.get("domain"))
    other = f"not for domain {signature.domain!r}"
    if domain == signature.domain:
        other = "but for another version of it"
    trained = f"{file}: is for domain {domain!r}, {other}: "
    found = _schemas(file, metadata)
    for name, text in signature.readable.items():
        if name not in found:
            raise InputError(f"{trained}it knows no action {name!r}")
        if found[name] != text:
            raise InputError(
                f"{trained}action {name!r} has the atoms {shortened(found[name])!r} there, and "
                f"{shortened(text)!r} here"
            )
    for name in found:
        if name not in signature.readable:
            raise InputError(f"{trained}it has an action {shortened(name)!r}, which is not here")
    raise InputError(f"{trained}the order of its actions is another one")


def _schemas(file: str, metadata: Mapping[str, Any]) -> dict[str, str]:
    try:
        found = json.loads(str(metadata.get("schemas")))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not all(isinstance(text, str) for text in found.values()):
        raise InputError(f"{file}: metadata 'schemas' is no JSON object of texts")
    return found
