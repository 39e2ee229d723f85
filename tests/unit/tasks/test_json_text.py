from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.tasks.json_text import MAX_DEPTH, load_json


def read(folder: Path, text: str | bytes) -> object:
    path = folder / "a.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_json(path)


def depth_of(value: object) -> int:
    levels = 0
    while isinstance(value, (list, dict)) and value:
        value = value[0] if isinstance(value, list) else next(iter(value.values()))
        levels += 1
    return levels


def test_byte_order_marks_are_no_hindrance(tmp_path: Path) -> None:
    assert read(tmp_path, b'\xef\xbb\xbf{"a": [1, 2.5, "\xe2\x88\xa7"]}') == {"a": [1, 2.5, "∧"]}


def test_deep_texts_are_read(tmp_path: Path) -> None:
    levels = MAX_DEPTH // 2 - 1
    text = '[{"a": ' * levels + "true" + ', "b": {}}, []]' * levels
    # Comparing such values would recurse, so only the way down is checked.
    assert depth_of(read(tmp_path, text)) == 2 * levels


def test_the_deep_reader_reads_what_the_usual_one_does(tmp_path: Path) -> None:
    inner = '{"a" : [1,-2.5e3 , "q\\"\\u00e9}" ,true,null,{}, [] ],\n "b":[[[]]]}'
    value = read(tmp_path, "[" * 3000 + inner + "]" * 3000)
    while isinstance(value, list):
        value = value[0]
    assert value == json.loads(inner)


@pytest.mark.parametrize(
    ("text", "place", "reason"),
    [
        ('{"a": 1', "line 1, column 8", "delimiter"),
        ('{"a": 1,\n}', "line 2, column 1", "property name"),
        ("[1, 2] 3", "line 1, column 8", "extra data"),
        ('{"a": tru}', "line 1, column 7", "value"),
    ],
)
def test_mistakes_are_named_by_line(tmp_path: Path, text: str, place: str, reason: str) -> None:
    with pytest.raises(InputError, match=rf"a\.json: {place}: is not valid JSON \(.*{reason}"):
        read(tmp_path, text)


@pytest.mark.parametrize("end", ["", "]", "1 2", '{"a" 1}', '{"a": }', "{1: 2}", "[1,, 2]", "'x'"])
def test_mistakes_deep_inside_are_errors(tmp_path: Path, end: str) -> None:
    text = "[" * 3000 + end + "]" * (2999 if end == "]" else 3000)
    if end == "]":
        text += "]]"
    if end == "":
        text = text[:-1]
    with pytest.raises(InputError, match="is not valid JSON"):
        read(tmp_path, text)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_too_deep_is_an_error_not_a_crash(tmp_path: Path, opening: str) -> None:
    closing = "]" if opening == "[" else "}"
    with pytest.raises(
        InputError, match=re.escape(f"is nested more than {MAX_DEPTH} levels deep")
    ):
        read(tmp_path, opening * 50_000 + "1" + closing * 50_000)


def test_other_bad_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="line 2: is not UTF-8"):
        read(tmp_path, b'["a",\n"\xff"]')
    with pytest.raises(InputError, match="NaN is no JSON number"):
        read(tmp_path, "[NaN]")
    with pytest.raises(InputError, match="has a number of thousands of digits$"):
        read(tmp_path, "1" * 10_000)
    with pytest.raises(InputError, match="is empty"):
        read(tmp_path, " ")
    with pytest.raises(InputError, match="no such file"):
        load_json(tmp_path / "b.json")


@pytest.mark.parametrize("text", [r'{"a": ["\ud800"]}', r'{"\udfff": 1}', r'[["x\uD834"]]'])
def test_half_a_character_is_no_text(tmp_path: Path, text: str) -> None:
    with pytest.raises(InputError, match=r"\\ud.* is no valid text"):
        read(tmp_path, text)


def test_both_halves_are_one_character(tmp_path: Path) -> None:
    assert read(tmp_path, r'["\ud834\udd1e", "\\ud800"]') == ["\U0001d11e", r"\ud800"]
