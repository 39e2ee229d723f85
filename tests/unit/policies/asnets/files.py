"""Writes ASNets as the published files have them."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bugsieve.rooms.formats.asnets.signature import Signature
from bugsieve.rooms.formats.asnets.weights import Weights

TABLES = (
    "CREATE TABLE asnets_info (parameter TEXT,int_value INT DEFAULT -1,"
    "flt_value REAL DEFAULT -1.,str_value TEXT DEFAULT NULL)",
    "CREATE TABLE asnets_weights (id INT PRIMARY KEY,layer INT,sig INT,name TEXT,idx INT,"
    "weights BLOB)",
)


def write_published(path: Path, weights: Weights, *, domain: str = "some", more: str = "") -> None:
    """A `.policy` file; `more` is SQL that is run at the end."""
    connection = sqlite3.connect(path)
    try:
        for table in TABLES:
            connection.execute(table)
        info = [("domain_name", -1, domain), ("cfg_hidden_dimension", weights.hidden, None)]
        info.append(("cfg_num_layers", weights.layers, None))
        sql = "INSERT INTO asnets_info (parameter, int_value, str_value) VALUES (?, ?, ?)"
        connection.executemany(sql, info)
        number = 0
        for place, module in weights.modules():
            first = 0 if place.kind == "action" else 2
            # Column-major: the transposed matrix, row by row.
            for sig, part in ((first, module.weight.T), (first + 1, module.bias)):
                blob = np.ascontiguousarray(part, dtype="<f4").tobytes()
                row = (number, place.layer, sig, place.name, 0, blob)
                connection.execute("INSERT INTO asnets_weights VALUES (?, ?, ?, ?, ?, ?)", row)
                number += 1
        unused = (number, 0, 2, "=", 0, None)
        connection.execute("INSERT INTO asnets_weights VALUES (?, ?, ?, ?, ?, ?)", unused)
        connection.executescript(more)
        connection.commit()
    finally:
        connection.close()


def write_published_toml(
    path: Path,
    weights: Weights,
    signature: Signature,
    domain: str,
    *,
    change: Callable[[dict[str, Any]], object] = lambda content: None,
) -> None:
    """The later form of a published file; `change` edits its content before it is written."""
    numbers = {
        "action": {schema.name: number for number, schema in enumerate(signature.schemas)},
        "predicate": {name: number for number, name in enumerate(signature.predicates, 1)},
    }
    lists: dict[str, list[dict[str, Any]]] = {"action": [], "predicate": []}
    for place, module in weights.modules():
        row: dict[str, Any] = {
            "layer": place.layer,
            NUMBERS[place.kind]: numbers[place.kind][place.name],
        }
        for key, part in (("weights", module.weight.T), ("bias", module.bias)):
            blob = np.ascontiguousarray(part, dtype="<f4").tobytes()
            row |= {f"{key}_size": len(blob) // 4, key: base64.encodebytes(blob).decode()}
        lists[place.kind].append(row)
    model = {"domain_name": signature.domain, "cpddl_version": "1.4"}
    content = {
        "config": {"hidden_dimension": weights.hidden, "num_layers": weights.layers}
        | {"lmc": False, "op_history": False, "teacher": "astar-lmcut"},
        "model": model,
        "action_module": lists["action"],
        "proposition_module": lists["predicate"],
        "train_data": {"file": "domain.pddl", "domain": domain},
    }
    change(content)
    path.write_text("".join(f"{line}\n" for line in _toml_lines(content)))


NUMBERS = {"action": "action_id", "predicate": "pred_id"}


def _toml_lines(content: dict[str, Any]) -> Iterator[str]:
    yield "[asnets]"
    yield from _toml_values(content["config"])
    yield from ("", "[asnets.model]", *_toml_values(content["model"]))
    for key in ("action_module", "proposition_module"):
        for row in content.get(key, ()):
            yield from ("", f"[[asnets.model.{key}]]", *_toml_values(row))
    if "train_data" in content:
        yield from ("", "[asnets.train_data]", *_toml_values(content["train_data"]))


def _toml_values(table: dict[str, Any]) -> Iterator[str]:
    for key, value in table.items():
        if isinstance(value, str) and "\n" in value:
            yield f'{key} = """\n{value}"""'
        else:
            yield f"{key} = {json.dumps(value)}"
