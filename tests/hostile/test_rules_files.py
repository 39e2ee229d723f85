"""Rules files of strangers end with a sentence, in time and without much memory."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.file import grounding
from bugsieve.rooms.rules.file.atoms import MAX_CONDITION_DEPTH
from bugsieve.rooms.rules.file.constraints import constraint_rules
from bugsieve.rooms.rules.file.reading import read_rules
from bugsieve.rooms.rules.file.source import MAX_BYTES
from bugsieve.tasks.pddl.conditions import MAX_PARTS
from bugsieve.tasks.pddl.summary import PddlTexts
from tests.unit.rules.file.rover import (
    ATOMS,
    DOMAIN,
    PROBLEM,
    RULES,
    atom,
    bound,
    rover_task,
    rule,
)

MAX_SECONDS = 20.0


def read_and_bind(path: Path) -> None:
    read_rules(path).bind(rover_task())


def sentence(folder: Path, data: bytes) -> str:
    """What reading a file of these bytes, and binding it, ends with."""
    path = folder / "rules.toml"
    path.write_bytes(data)
    begin = time.monotonic()
    with pytest.raises(InputError) as caught:
        read_and_bind(path)
    assert time.monotonic() - begin < MAX_SECONDS
    assert str(caught.value).isprintable()
    return str(caught.value).removeprefix(str(path))


@pytest.mark.parametrize(
    ("data", "wanted"),
    [
        (b"", ": is empty, a rules file was expected"),
        (b"\x00" * 100, ":1:1: is no TOML"),
        (RULES.encode() + b"\x00", ":40:1: is no TOML"),
        (b"format = 1\nx = '\xff'", ":2: the byte 0xff is no UTF-8"),
        (b"\x7fELF\x02\x01\x01", ":1:1: is no TOML"),
        (b"\xff\xfef\x00o\x00r\x00", ":1: the byte 0xff is no UTF-8"),
        (b"#" * (MAX_BYTES + 1), ": is larger than 1 MiB"),
        (b"format = 1\nformat = 1\n", ":2:11: is no TOML: Cannot overwrite a value"),
        (b"x = " + b"[" * 100_000, ":1:105: more than 100 values inside each other"),
        (b"x = " + b"{a=" * 100_000, "more than 100 values inside each other"),
        (b"a." * 100_000 + b"b = 1", ":1:41: a key has more than 20 parts"),
        (b"[" + b"'a' . " * 100_000 + b"b]", "a key has more than 20 parts"),
        (b"format = " + b"9" * 5_000, ": is no TOML"),
        (b"format = 1\nrule = [[[[1]]]]", ":2:1: write '[[rule]]'"),
        (b"format = 1\n[atom.x]\n", ":2:1: write '[[atom]]'"),
        (b"format = nan\n", "reads 'format = 1', not nan"),
        (b"format = 1\n[[rule]]\n" + b"k" * 500_000 + b" = 1", ":3:1: a rule has no key 'kkkk"),
        (b"format = 1\n\xe2\x80\xae = 1", ":2:1: is no TOML"),
        (b"format = 1\n'\\u202e\x1b' = 1", "is no TOML"),
        (b'format = 1\n"\\u001b[2J" = 1', ":2:1: a rules file has no key '\\x1b[2J'"),
    ],
)
def test_what_is_no_rules_file(tmp_path: Path, data: bytes, wanted: str) -> None:
    assert wanted in sentence(tmp_path, data)


def nested(word: str, inner: str, times: int) -> str:
    return f"({word} " * times + inner + ")" * times


CHAIN = "".join(
    f"[[atom]]\nname = 'c{number}'\nis = '(not (c{number - 1}))'\n" for number in range(1, 300)
)
DOUBLING = "".join(
    f"[[atom]]\nname = 'c{number}'\nis = '(or (c{number - 1}) (c{number - 1}))'\n"
    for number in range(1, 60)
)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (atom("x", nested("not", "(lit)", 10_000)), "nesting deeper than 100 levels"),
        (atom("x", "(" * 50_000), "nesting deeper than 100 levels"),
        (atom("x", ")" * 50_000), "a ')' closes nothing"),
        (atom("x", "(lit) " * 10_000), "one formula was expected"),
        (atom("x", "(" + "y" * 50_000 + ")"), "unknown predicate"),
        (atom("x" * 100_000, "(lt)"), "unknown predicate 'lt' (did you mean 'lit'?)"),
        (atom("x(" + "?a " * 20_000 + ")", "(lit)"), "the variable '?a' twice"),
        (atom("x", nested("exists (?a ?b ?c)", "(lit)", 20)), f"more than {MAX_PARTS} parts"),
        (atom("c0", "(lit)") + CHAIN, f"or {MAX_CONDITION_DEPTH} levels"),
        (atom("c0", "(lit)") + DOUBLING, "more than 100000 words"),
        (atom("c0", "(c299)") + CHAIN, "in a circle"),
    ],
    ids=lambda text: text[-40:],
)
def test_conditions_that_are_too_much(tmp_path: Path, text: str, wanted: str) -> None:
    used = "x" if "name = 'x'" in text else "dark"
    data = rule(f"G {used}", atoms=text).encode()
    assert wanted in sentence(tmp_path, data)


@pytest.mark.parametrize(
    ("ltl", "wanted"),
    [
        ("(" * 100_000, "levels deep"),
        ("G " * 100_000 + "dark", "longer than"),
        ("!" * 20_000 + "dark", "levels deep"),
        ("x" * 90_000, "there is no atom"),
        ("moving(" + "a," * 4_000 + "a)", "1 argument, not 4001"),
        ("dark" + "\u202e", "is no operator"),
    ],
    ids=lambda text: text[:20],
)
def test_formulas_that_are_too_much(tmp_path: Path, ltl: str, wanted: str) -> None:
    assert wanted in sentence(tmp_path, rule(ltl).encode())


def test_quantifiers_that_explode_only_for_all_objects_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grounding, "MAX_PARTS", 100_000)
    inner = "(exists (?a ?b ?c ?d - object) (and (= ?a ?b) (= ?c ?d) (lit)))"
    many = atom("x(?p ?q ?s - object)", inner)
    text = rule("G x(?p,?q,?s)", forall="?p ?q ?s - object", atoms=many)
    assert "stand for more than 100000 parts in this task" in sentence(tmp_path, text.encode())


def test_variables_without_number(tmp_path: Path) -> None:
    names = [f"?v{number}" for number in range(2_000)]
    text = rule("G dark & moving(?v0)", forall=f"{' '.join(names)} - rover")
    assert "more than 10000 instances" in sentence(tmp_path, text.encode())


def test_a_formula_with_many_atoms_and_states_is_bound_in_time() -> None:
    atoms = ATOMS + "".join(
        f"[[atom]]\nname = 'b{number}'\nis = '(stowed cam)'\n" for number in range(60)
    )
    formula = " & ".join(f"F(b{number} & X X X !b{59 - number})" for number in range(60))
    begin = time.monotonic()
    assert len(bound(rule(formula, atoms=atoms)).rules) == 1
    assert time.monotonic() - begin < MAX_SECONDS


def test_constraints_that_are_too_much() -> None:
    deep = nested("and", "(always (lit))", 150)
    wide = " ".join(["(always (lit))"] * 3_000)
    for text in (deep, f"(and {wide})"):
        problem = PROBLEM.replace(" (:goal", f" (:constraints {text})\n (:goal")
        texts = PddlTexts(DOMAIN.encode(), problem.encode())
        assert constraint_rules(texts, domain="d", problem="p").rules
