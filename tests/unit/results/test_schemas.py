"""The schema of each kind of store, to the letter: another text refuses all folders made before.

Who changes a schema on purpose raises the version of stores, and writes these files anew with
`BUGSIEVE_WRITE_SCHEMAS=1`.
"""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path

import pytest

from bugsieve.base.registry.families import KINDS
from bugsieve.campaigns.store.store import Store
from bugsieve.campaigns.store.validation import layout_of

FOLDER = Path(__file__).with_name("schemas")


def store_of(kind: str) -> type[Store]:
    place, _, name = KINDS.builtin[kind].partition(":")
    store = getattr(import_module(place), name).store
    assert isinstance(store, type) and issubclass(store, Store)
    return store


@pytest.mark.parametrize("kind", KINDS.builtin)
def test_schema(kind: str) -> None:
    entries = layout_of(store_of(kind).tables, {}).entries
    text = "".join(
        f"{sql or f'-- {kind} {name}'};\n" for kind, name, _, sql in sorted(entries, key=str)
    )
    golden = FOLDER / f"{kind}.sql"
    if os.environ.get("BUGSIEVE_WRITE_SCHEMAS"):
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_every_kind_has_a_schema() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == set(KINDS.builtin)
