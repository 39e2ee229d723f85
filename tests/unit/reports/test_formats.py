"""A small table in all formats."""

from __future__ import annotations

import csv
import io
import json

import pytest

from bugsieve.reports.table import NOT_APPLICABLE, UNDEFINED, Column, Row, Span, Table, spans
from bugsieve.rooms.lab.reports.formats import FORMATS

TABLE = Table(
    label="domain",
    block="policy",
    columns=(
        Column("count", ("(A)", "", "Σ"), decimals=0),
        Column("pool", ("(B) pool", "recall in %", "|P|")),
        Column("solved", ("(B) pool", "recall in %", "|Pπ|")),
        Column("wide", ("(C) a very wide heading", "qual (P∖Pπ)", "on"), section=1),
    ),
    rows=(
        Row("one", "blocks_world", (3.0, 12.25, UNDEFINED, 100.0)),
        Row("one", "a|b", (20.0, NOT_APPLICABLE, 0.0, UNDEFINED)),
    ),
    notes=("a note & more",),
)

TWO_BLOCKS = Table(
    TABLE.label,
    TABLE.block,
    TABLE.columns[:2],
    (Row("one", "x", (1.0, 2.0)), Row("two", "y", (3.0, 4.0)), Row("one", "z", (5.0, 6.0))),
)


def test_text() -> None:
    assert FORMATS["text"](TABLE) == (
        "                (A)      (B) pool\n"
        "                       recall in %\n"
        "domain            Σ      |P|  |Pπ|\n"
        "blocks_world      3     12.2\n"
        "a|b              20        –   0.0\n"
        "\n"
        "                (C) a very wide heading\n"
        "                      qual (P∖Pπ)\n"
        "domain                               on\n"
        "blocks_world                      100.0\n"
        "a|b\n"
        "\n"
        "a note & more"
    )


def test_text_with_several_blocks() -> None:
    assert FORMATS["text"](TWO_BLOCKS).splitlines()[2:] == [
        "domain      Σ            |P|",
        "one",
        "  x         1            2.0",
        "  z         5            6.0",
        "two",
        "  y         3            4.0",
    ]


def test_csv() -> None:
    rows = list(csv.reader(io.StringIO(FORMATS["csv"](TABLE))))
    assert rows == [
        ["policy", "domain", "count", "pool", "solved", "wide"],
        ["one", "blocks_world", "3", "12.25", "", "100"],
        ["one", "a|b", "20", "–", "0", ""],
    ]


def test_json() -> None:
    assert json.loads(FORMATS["json"](TABLE)) == {
        "rows": [
            {
                "policy": "one",
                "domain": "blocks_world",
                "count": 3,
                "pool": 12.25,
                "solved": None,
                "wide": 100.0,
            },
            {
                "policy": "one",
                "domain": "a|b",
                "count": 20,
                "pool": "not applicable",
                "solved": 0.0,
                "wide": None,
            },
        ],
        "notes": ["a note & more"],
    }


def test_markdown() -> None:
    lines = FORMATS["markdown"](TABLE).splitlines()
    assert lines[:6] == [
        "**(A), (B) pool**",
        "",
        r"| domain | Σ | recall in %<br>\|P\| | recall in %<br>\|Pπ\| |",
        "| --- | ---: | ---: | ---: |",
        "| blocks_world | 3 | 12.2 |  |",
        r"| a\|b | 20 | – | 0.0 |",
    ]
    assert lines[-1] == "a note & more"
    assert "| *two* |  |  |" in FORMATS["markdown"](TWO_BLOCKS)


def test_latex() -> None:
    text = FORMATS["latex"](TABLE)
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert all(_cells(row) == 5 for row in rows)
    assert r"blocks\_world & 3 & 12.2 &  & 100.0 \\" in rows
    assert r"a|b & 20 & -- & 0.0 &  \\" in rows
    assert r"domain & $\Sigma$ & $|P|$ & $|P_\pi|$ & on \\" in rows
    assert r"\cmidrule(lr){3-4}" in text
    assert r"\multicolumn{3}{l}{two} \\" in FORMATS["latex"](TWO_BLOCKS)
    assert text.count("{tabular}") == 2


def _cells(row: str) -> int:
    """How many columns a row of LaTeX fills."""
    spanned = [int(part.split("}")[0]) for part in row.split(r"\multicolumn{")[1:]]
    return row.count(" & ") + 1 + sum(width - 1 for width in spanned)


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        (0, [Span("(A)", 0, 1), Span("(B) pool", 1, 3), Span("(C) a very wide heading", 3, 4)]),
        (1, [Span("", 0, 1), Span("recall in %", 1, 3), Span("qual (P∖Pπ)", 3, 4)]),
    ],
)
def test_spans(level: int, expected: list[Span]) -> None:
    assert spans(TABLE.columns, level) == expected


def test_equal_headings_below_different_ones_are_not_joined() -> None:
    columns = [Column("a", ("x", "same", "1")), Column("b", ("y", "same", "2"))]
    assert len(spans(columns, 1)) == 2
