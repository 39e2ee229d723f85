"""Bad JANI files: one sentence with the file and the place, whatever is wrong."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.jani.model.loading import load_model
from tests.property.jani_models import ModelMaker
from tests.unit.tasks.jani.small import counter, write

Json = Any
Path_ = tuple[str | int, ...]

SUBSTITUTES: list[Json] = [
    None, True, -1, 0, 2**70, 1e308, "", "x", "nonsense", [], {}, [[]], {"op": "∧"},
    {"op": "call", "function": "f", "args": []}, {"kind": "bounded", "base": "int"},
    {"file": "nowhere.jani"}, {"exp": {"exp": 1}},
]  # fmt: skip


def places(document: Json) -> Iterator[Path_]:
    """All places of a document, outer ones first."""
    todo: list[tuple[Path_, Json]] = [((), document)]
    while todo:
        path, value = todo.pop()
        yield path
        if isinstance(value, dict):
            todo.extend(((*path, key), inner) for key, inner in value.items())
        elif isinstance(value, list):
            todo.extend(((*path, key), inner) for key, inner in enumerate(value))


def changed(document: Json, path: Path_, value: Json) -> Json:
    """A copy with another value, or without the place where there is none (`...`)."""
    if not path:
        return None if value is ... else value
    result = copy.deepcopy(document)
    inner = result
    for step in path[:-1]:
        inner = inner[step]
    if value is ...:
        del inner[path[-1]]
    else:
        inner[path[-1]] = value
    return result


def attempt(path: Path) -> str | None:
    """Load and run a file; the error, if any, must be one of ours and name the file."""
    try:
        model = load_model(path)
        starts = model.start_states
        if starts is not None:
            model.expand(starts)
            model.is_unsafe(starts)
    except InputError as error:
        text = str(error)
    else:
        return None
    assert path.name in text or "nowhere.jani" in text
    assert "\n" not in text
    return text


def test_every_part_may_be_missing(tmp_path: Path) -> None:
    whole = counter()
    refused = 0
    for path in list(places(whole))[1:]:
        error = attempt(write(tmp_path, changed(whole, path, ...)))
        refused += error is not None
    assert refused > 25


@pytest.mark.parametrize("seed", range(3))
def test_every_part_may_be_something_else(tmp_path: Path, seed: int) -> None:
    whole = counter() if seed == 0 else ModelMaker(seed).model()
    everywhere = list(places(whole))
    rng = Random(seed)
    chosen = everywhere if seed == 0 else rng.sample(everywhere, min(60, len(everywhere)))
    refused = 0
    for path in chosen:
        for value in SUBSTITUTES if seed == 0 else rng.sample(SUBSTITUTES, 4):
            refused += attempt(write(tmp_path, changed(whole, path, value))) is not None
    assert refused > len(chosen)


def test_truncated_files(tmp_path: Path) -> None:
    text = json.dumps(counter(), ensure_ascii=False, indent=1).encode()
    path = tmp_path / "model.jani"
    for length in range(0, len(text) - 1, 7):
        path.write_bytes(text[:length])
        with pytest.raises(InputError, match=r"model\.jani: (line \d+|is empty)"):
            load_model(path)


def test_garbled_files(tmp_path: Path) -> None:
    text = bytearray(json.dumps(counter(), ensure_ascii=False).encode())
    path = tmp_path / "model.jani"
    rng = Random(1)
    for _ in range(300):
        garbled = bytearray(text)
        for _ in range(rng.randint(1, 4)):
            garbled[rng.randrange(len(garbled))] = rng.randrange(256)
        path.write_bytes(garbled)
        attempt(path)


@pytest.mark.parametrize("side", ["left", "right", "exp"])
def test_expressions_of_many_levels(tmp_path: Path, side: str) -> None:
    """Far too deep ones are refused in a sentence; nothing crashes or hangs."""
    levels = 50_000
    begin = {
        "left": '{"op": "∧", "right": true, "left": ',
        "right": '{"op": "∧", "left": true, "right": ',
        "exp": '{"op": "¬", "exp": ',
    }[side]
    whole = counter()
    whole["properties"][0]["expression"]["reach"]["exp"] = "HERE"
    text = json.dumps(whole).replace('"HERE"', begin * levels + "true" + "}" * levels)
    path = tmp_path / "model.jani"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"model\.jani: .*nested"):
        load_model(path)


def test_lists_for_models(tmp_path: Path) -> None:
    for document, message in [([], "must be an object, but is a list"), (5, "but is 5")]:
        with pytest.raises(InputError, match=message):
            load_model(write(tmp_path, document))
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"empty.*model\.jani"):
        load_model(tmp_path / "empty")
