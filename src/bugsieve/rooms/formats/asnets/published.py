"""ASNets as their authors published them: SQLite databases, read as the data of strangers.

Later files are TOML texts (`published_toml`), which say the same of a network.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from bugsieve.base.errors import InputError
from bugsieve.base.queries import limit_steps
from bugsieve.rooms.formats.asnets.signature import Signature
from bugsieve.rooms.formats.asnets.sizes import MAX_HIDDEN, MAX_LAYERS
from bugsieve.rooms.formats.asnets.weights import (
    Module,
    Place,
    Weights,
    checked_module,
    make_weights,
)
from bugsieve.rooms.formats.networks.network import shortened

_MAGIC = b"SQLite format 3\0"
_TABLES = {
    "asnets_info": "CREATE TABLE asnets_info (parameter TEXT,int_value INT DEFAULT -1,"
    "flt_value REAL DEFAULT -1.,str_value TEXT DEFAULT NULL)",
    "asnets_weights": "CREATE TABLE asnets_weights (id INT PRIMARY KEY,layer INT,sig INT,"
    "name TEXT,idx INT,weights BLOB)",
}
_INDEX = ("index", "sqlite_autoindex_asnets_weights_1", None)
_SCHEMA = {*(("table", name, sql) for name, sql in _TABLES.items()), _INDEX}
"""To the letter, so that no view, trigger or generated column computes anything for us."""

_PARTS = {0: ("action", "weight"), 1: ("action", "bias")}
_PARTS |= {2: ("predicate", "weight"), 3: ("predicate", "bias")}
_MAX_ROWS = 100_000
_MAX_STEPS = 50_000_000


class ModuleTensor(NamedTuple):
    """The weights or the biases of a module."""

    kind: str
    part: str
    layer: int
    name: str


@dataclass(frozen=True)
class Published:
    """The content of a published file; numbers are little-endian 32-bit floats."""

    file: str
    domain: str
    hidden: int
    layers: int
    blobs: Mapping[ModuleTensor, bytes]

    def weights(self, signature: Signature) -> Weights:
        """The network for a domain; InputError says what does not fit."""
        _require_names(f"{self.file}: is for domain {self.domain!r}", self.blobs, signature)
        return make_weights(signature, self._module, hidden=self.hidden, layers=self.layers)

    def _module(self, place: Place, outputs: int, inputs: int) -> Module:
        weight, bias = (self._numbers(place, part) for part in ("weight", "bias"))
        if weight.size == outputs * inputs:  # column by column
            weight = weight.reshape(inputs, outputs).T
        return checked_module(self.file, place, weight, bias, shape=(outputs, inputs))

    def _numbers(
        self, place: Place, part: str
    ) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        blob = self.blobs.get(ModuleTensor(place.kind, part, place.layer, place.name), b"")
        if len(blob) % 4:
            raise InputError(f"{self.file}: {place}: its {part} is no list of 32-bit floats")
        return np.frombuffer(blob, dtype="<f4")


def is_published(data: bytes) -> bool:
    """Return true if the bytes begin as a published file does."""
    return data.startswith(_MAGIC)


def read_published(file: str, data: bytes) -> Published:
    """The network in the bytes of a `.policy` file."""
    info, blobs = _read(file, data)
    return Published(
        file,
        shortened(info.get("domain_name", (0, "unknown"))[1]),
        checked_size(file, info.get("cfg_hidden_dimension", (0, ""))[0], "cfg_hidden_dimension"),
        checked_size(file, info.get("cfg_num_layers", (0, ""))[0], "cfg_num_layers"),
        blobs,
    )


_MOST = {"hidden_dimension": MAX_HIDDEN, "num_layers": MAX_LAYERS}


def checked_size(file: str, size: object, key: str) -> int:
    """A size of a network; InputError names the key where it is out of bounds."""
    most = _MOST[key.removeprefix("cfg_")]
    if type(size) is not int or not 1 <= size <= most:
        raise InputError(f"{file}: its {key} is {shortened(size)}, and must be from 1 to {most}")
    return size


def _require_names(start: str, blobs: Mapping[ModuleTensor, bytes], signature: Signature) -> None:
    """InputError that names an action or predicate that only one of file and domain has."""
    schemas = [schema.name for schema in signature.schemas]
    needed = [name for name, slots in signature.slots.items() if slots]
    allowed = {"action": schemas, "predicate": [*signature.predicates, "="]}
    for kind, names in (("action", schemas), ("predicate", needed)):
        found = dict.fromkeys(part.name for part in blobs if part.kind == kind)
        for name in names:
            if name not in found:
                raise InputError(
                    f"{start}: it knows no {kind} {name!r} of domain {signature.domain!r}"
                )
        for name in found:
            if name not in allowed[kind]:
                raise InputError(
                    f"{start}: it has weights for the {kind} {shortened(name)!r}, which domain "
                    f"{signature.domain!r} has not"
                )


def _read(file: str, data: bytes) -> tuple[dict[str, tuple[int, str]], dict[ModuleTensor, bytes]]:
    """Parameters and blobs; from a copy, since SQLite may look for companions of a file."""
    with tempfile.TemporaryDirectory(prefix="bugsieve-") as folder:
        copy = Path(folder) / "asnet.policy"
        copy.write_bytes(data)
        connection = sqlite3.connect(f"{copy.as_uri()}?mode=ro&immutable=1", uri=True)
        try:
            return _query(file, connection, len(data))
        except (sqlite3.Error, UnicodeDecodeError, OverflowError) as error:
            raise InputError(
                f"{file}: is no whole SQLite file of an ASNet ({shortened(error)})"
            ) from None
        finally:
            connection.close()


def _query(
    file: str, connection: sqlite3.Connection, size: int
) -> tuple[dict[str, tuple[int, str]], dict[ModuleTensor, bytes]]:
    limit_steps(connection, _MAX_STEPS)
    for pragma in ("trusted_schema = OFF", "cell_size_check = ON", "query_only = ON"):
        connection.execute(f"PRAGMA {pragma}")
    _require_schema(file, connection)
    info = {
        str(name): (number if isinstance(number, int) else 0, str(text))
        for name, number, text in connection.execute(
            f"SELECT parameter, int_value, str_value FROM asnets_info LIMIT {_MAX_ROWS}"
        )
    }
    blobs: dict[ModuleTensor, bytes] = {}
    total = 0
    for layer, kind, name, blob in connection.execute(
        f"SELECT layer, sig, name, weights FROM asnets_weights LIMIT {_MAX_ROWS}"
    ):
        if kind not in _PARTS or not isinstance(layer, int) or not isinstance(name, str):
            raise InputError(f"{file}: table asnets_weights has a row that is no part of a module")
        if blob is not None and not isinstance(blob, bytes):
            raise InputError(f"{file}: table asnets_weights has weights that are no blob")
        total += len(blob or b"")
        if total > size:  # several rows that share pages
            raise InputError(f"{file}: holds more weights than it has bytes")
        part = ModuleTensor(*_PARTS[kind], layer, name)
        if part in blobs:
            raise InputError(f"{file}: {part.kind} {shortened(name)!r} of layer {layer} is twice")
        blobs[part] = blob or b""
    return info, blobs


def _require_schema(file: str, connection: sqlite3.Connection) -> None:
    query = "SELECT type, name, sql FROM sqlite_master LIMIT 10"
    if set(connection.execute(query)) != _SCHEMA:
        raise InputError(
            f"{file}: is no published ASNet, which has the tables asnets_info and asnets_weights "
            "as their authors made them, and nothing else"
        )
