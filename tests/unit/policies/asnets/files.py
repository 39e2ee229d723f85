"""Writes ASNets as the published files have them."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np

from bugsieve.policies.asnets.weights import Weights

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
