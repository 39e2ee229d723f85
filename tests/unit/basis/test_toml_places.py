"""Where keys and characters of strings stand, compared with what tomllib reads."""

from __future__ import annotations

import sys
from random import Random
from typing import Any

import pytest

from bugsieve.base.files_and_processes.toml_places import KeyPath, Mark, marks_of, string_at
from bugsieve.rooms.rules.file.source import Source

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

TRICKY = '''\
# [[rule]] in a comment
format = 1 # = "no"
a.b . "c = d" = 'x#y'
"q\\"uoted" = "\\u0041\\\\"
[[rule]]
id = "F\\U00000041\\t2"
tags = ["a", [1, 2], {x = "q", y.z = 3}, # "comment"
 'b' ,]
ltl = """
G(a \\
    -> b)""\\n"""""
[rule.sub]
when = 1979-05-27 07:32:00 # dates have blanks
[ [rule] ]
'''.replace("[ [rule] ]", "[[ rule ]]")


def values(value: Any, path: KeyPath = ()) -> list[tuple[KeyPath, Any]]:
    """Every value of a TOML document with its path."""
    found = [(path, value)] if path else []
    if not isinstance(value, (dict, list)):
        return found
    inner = value.items() if isinstance(value, dict) else enumerate(value)
    return [*found, *(item for key, part in inner for item in values(part, (*path, key)))]


def check(text: str) -> int:
    """Compare marks with values; how many strings were compared."""
    marks = marks_of(text)
    found = values(tomllib.loads(text))
    assert {path for path, _ in found} == set(marks)
    strings = [(path, value) for path, value in found if isinstance(value, str)]
    for path, value in strings:
        string = string_at(text, marks[path].value)
        assert string.value == value
        assert len(string.places) == len(value) + 1
        for place, character in zip(string.places, value, strict=False):
            assert text[place] in (character, "\\")
    return len(strings)


def test_every_key_and_string_of_a_tricky_file() -> None:
    assert check(TRICKY) == 7
    marks = marks_of(TRICKY)
    assert TRICKY[marks["a", "b", "c = d"].key :].startswith("a.b")
    assert TRICKY[marks["rule", 0, "tags", 2, "x"].value :].startswith('"q"')
    assert marks["rule", 1].key == TRICKY.index("[[ rule ]]")


@pytest.mark.parametrize(
    ("text", "value", "inside"),
    [
        ('k = "ab"', "ab", "a"),
        ("k = 'a\\b'", "a\\b", "a"),
        ('k = """"a"""', '"a', '"a'),
        ('k = """\n\n a"""', "\n a", "\n a"),
        ("k = '''a''b'''''", "a''b''", "a"),
        ('k = """a\\\n\n   b"""', "ab", "a"),
        ('k = ""', "", '"'),
    ],
)
def test_strings_of_all_kinds(text: str, value: str, inside: str) -> None:
    string = string_at(text, 4)
    assert string.value == value == tomllib.loads(text)["k"]
    assert text[string.places[0] :].startswith(inside)
    assert string.end == len(text)


def test_windows_ends_of_lines_do_not_move_columns() -> None:
    text = 'a = 1\r\nb = """\r\nx\r\ny"""\r\n'.replace("\r\n", "\n")
    source = Source("f", text)
    string = source.string(("b",), source.content["b"])
    assert [str(string.position(place)) for place in (0, 2, 3)] == ["f:3:1", "f:4:1", "f:4:2"]


def random_string(random: Random) -> str:
    """A string in any of the four ways to write one."""
    kind = random.randrange(4)
    if kind == 0:
        parts = ["a", "é", " ", "\\n", "\\\\", '\\"', "\\u00e9", "\\U0001F600", "'", "#", "[", "="]
        return '"' + "".join(random.choices(parts, k=random.randrange(6))) + '"'
    if kind == 1:
        return "'" + "".join(random.choices('a\\"#]}, é', k=random.randrange(6))) + "'"
    if kind == 2:
        parts = ["a", "\n", '"b', "'", "\\\n  ", "\\\\", "é", "\\t", '""c']
        return '"""' + "".join(random.choices(parts, k=random.randrange(6))) + '"""'
    parts = ["a", "\n", "'b", '"', "\\", "é", "''c"]
    return "'''" + "".join(random.choices(parts, k=random.randrange(6))) + "'''"


def random_value(random: Random, depth: int) -> str:
    """A value: mostly a string, else a number, a date, an array or an inline table."""
    kind = random.randrange(8 if depth else 5)
    if kind < 4:
        return random_string(random)
    if kind == 4:
        return random.choice(["1", "-2.5e3", "true", "1979-05-27 07:32:00", "inf", "07:32:00"])
    parts = [random_value(random, depth - 1) for _ in range(random.randrange(3))]
    if kind == 5:
        return "{" + ", ".join(f"{key} = {part}" for key, part in zip("ab", parts)) + "}"  # noqa: B905
    comment = random.choice(["", " # ]\n", "\n"])
    return "[" + f",{comment}".join(parts) + f"{comment}]"


def random_document(random: Random) -> str:
    lines = []
    for number in range(random.randrange(1, 5)):
        lines.append(random.choice([f"[[t]] # {number}", f"[ s{number} ]", f"[[t.u{number}]]"]))
        if number == 0:
            lines[-1] = "[[t]]"
        keys = random.sample(["a", "b.c", '"d e"', "'f'. g", "b.h"], k=random.randrange(4))
        lines += [f"{key} = {random_value(random, 2)}" for key in keys]
    return "\n".join(lines) + random.choice(["", "\n", "\n# end"])


def test_random_documents() -> None:
    strings = sum(check(random_document(Random(seed))) for seed in range(300))
    assert strings > 300


def test_a_path_that_is_not_there_has_the_place_of_what_holds_it() -> None:
    source = Source("f", "[[rule]]\nid = 'x'\n")
    assert source.mark(("rule", 0, "kind")) == source.mark(("rule", 0)) == Mark(0, 0)


def test_where_characters_are_not_known_the_line_of_the_key_is_named() -> None:
    source = Source("f", "\n  id = 'x'\n")
    assert str(source.string(("id",), "something else").position(1)) == "f:2"
