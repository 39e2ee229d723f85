"""Reading formulas: what binds what, other signs, and errors that point and help."""

from __future__ import annotations

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.ltl.formula import FALSE, MAX_DEPTH, TRUE, Formula, atom, globally
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import MAX_CHARACTERS, Place, read_ltl

HERE = Place("rules.toml", 12, 11)


def read(text: str) -> Formula:
    return read_ltl(text, place=HERE)


@pytest.mark.parametrize(
    ("short", "full"),
    [
        ("!p & q", "(!p) & q"),
        ("G p -> q", "(G p) -> q"),
        ("X N F G !p", "X(N(F(G(!p))))"),
        ("F p U q", "(F p) U q"),
        ("p U q W r R s M t", "p U (q W (r R (s M t)))"),
        ("p U q & r", "(p U q) & r"),
        ("p & q | r & s", "(p & q) | (r & s)"),
        ("p | q -> r | s", "(p | q) -> (r | s)"),
        ("p -> q -> r", "p -> (q -> r)"),
        ("p -> q <-> r -> s", "(p -> q) <-> (r -> s)"),
        ("p <-> q <-> r", "p <-> (q <-> r)"),
        ("a->b", "(a) -> (b)"),
        ("a-b->c", "(a-b) -> c"),
        ("G(p)&F(q)", "(G p) & (F q)"),
        ("\n p\t&\r\n q ", "p & q"),
    ],
)
def test_what_binds_what(short: str, full: str) -> None:
    assert read(short) == read(full)


def test_a_chain_is_one_formula_of_many_parts() -> None:
    assert read("p & q & s").parts == (atom("p"), atom("q"), atom("s"))
    assert len(read("(p & q) & s").parts) == 2
    assert len(read("p | q | s | t").parts) == 4


@pytest.mark.parametrize(
    ("signs", "ascii_"),
    [
        ("¬p ∧ q ∨ s", "!p & q | s"),
        ("□(p → ◇q)", "G(p -> F q)"),
        ("○p ↔ ⊤", "X p <-> true"),
        ("⊥ ⇒ p ⇔ q", "false -> p <-> q"),
        ("p 𝒰 q", "p U q"),
        ("□◇p", "G F p"),
    ],
)
def test_the_signs_of_books(signs: str, ascii_: str) -> None:
    assert read(signs) == read(ascii_)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("moving(rover1)", "moving(rover1)"),
        ("at( ?r , rock-4 )", "at(?r,rock-4)"),
        ("Fuel", "Fuel"),
        ("_x-1", "_x-1"),
        ("level(tank,3)", "level(tank,3)"),
        ("true-north", "true-north"),
        ("GX", "GX"),
    ],
)
def test_atoms(text: str, name: str) -> None:
    assert read(text) == atom(name)
    assert read(f"G({text})") == globally(atom(name))


def test_constants() -> None:
    assert read("true") == TRUE
    assert read("(false)") == FALSE


@pytest.mark.parametrize(
    ("text", "column", "sentence"),
    [
        ("", 1, "the formula is empty"),
        ("  ", 1, "the formula is empty"),
        ("p &", 3, "the formula ends after '&', which has nothing on its right"),
        ("p & q ->", 7, "the formula ends after '->', which has nothing on its right"),
        ("G", 1, "the formula ends after 'G', which has nothing on its right"),
        ("& p", 1, "the formula begins with '&', which has nothing on its left"),
        ("p & | q", 5, "'&' has nothing on its right, '|' follows"),
        ("(-> p)", 2, "'->' has nothing on its left"),
        ("G(R -> p)", 3, "'R' has nothing on its left; it is an operator and cannot name an atom"),
        ("(p & q", 1, "this '(' is never closed"),
        ("((p)", 1, "this '(' is never closed"),
        ("p & (", 5, "this '(' is never closed"),
        ("p & q)", 6, "this ')' closes nothing, there is no '(' before it"),
        ("p & ()", 6, "there is nothing between '(' and ')'"),
        ("(p &)", 5, "'&' has nothing on its right, ')' follows"),
        ("p q", 3, "an operator is missing between 'p' and 'q'"),
        ("not p", 5, "an operator is missing between 'not' and 'p' (did you mean '!'?)"),
        ("p and q", 3, "an operator is missing between 'p' and 'and' (did you mean '&'?)"),
        ("p u q", 3, "an operator is missing between 'p' and 'u' (did you mean 'U'?)"),
        ("p !q", 3, "an operator is missing between 'p' and '!'"),
        ("p => q", 3, "'=>' is no operator (did you mean '->'?)"),
        ("p && q", 3, "'&&' is no operator (did you mean '&'?)"),
        ("p || q", 3, "'||' is no operator (did you mean '|'?)"),
        ("p <=> q", 3, "'<=>' is no operator (did you mean '<->'?)"),
        ("~p", 1, "'~' is no operator (did you mean '!'?)"),
        ("[]p", 1, "'[]' is no operator (did you mean 'G'?)"),
        ("<>p", 1, "'<>' is no operator (did you mean 'F'?)"),
        ("p - q", 3, "'-' is no operator (did you mean '->'?)"),
        ("p $ q", 3, "'$' is no operator"),
        ("p & 3", 5, "'3' cannot begin the name of an atom, a letter or '_' can"),
        ("?r", 1, "a variable such as '?r' stands only between the parentheses of an atom"),
        ("a(b", 2, "the arguments of 'a' are never closed"),
        ("a()", 2, "'a' has empty parentheses; without arguments write the name alone"),
        (
            "a(b c)", 2,
            "'b c' is no list of arguments of 'a': these are names or variables such as '?r', "
            "divided by commas",
        ),
        (
            "always(p -> q)", 7,
            "'p -> q' is no list of arguments of 'always': these are names or variables such as "
            "'?r', divided by commas (did you mean 'G'?)",
        ),
        (
            "moving (rover1)", 8,
            "an operator is missing between 'moving' and '(' (arguments follow the name without "
            "a space)",
        ),
    ],
)  # fmt: skip
def test_errors_point_and_help(text: str, column: int, sentence: str) -> None:
    with pytest.raises(InputError) as raised:
        read(text)
    assert str(raised.value) == f"rules.toml:12:{column + 10}: {sentence}"


def test_columns_of_later_lines_count_from_their_own_start() -> None:
    with pytest.raises(InputError, match=r"^rules\.toml:14:4: .*between 'q' and 'p'"):
        read("G(p ->\n\n q p)")


def test_depth_is_bounded() -> None:
    deepest = "X " * (MAX_DEPTH - 1) + "p"
    assert to_text(read(deepest)) == deepest
    for text in ("X " + deepest, "(" * 201 + "p" + ")" * 201, "p -> " * 200 + "p"):
        with pytest.raises(InputError, match="nested more than 200 levels deep"):
            read(text)


def test_length_is_bounded() -> None:
    with pytest.raises(InputError, match="longer than 100000 characters"):
        read("p" * (MAX_CHARACTERS + 1))


def test_long_names_are_cut_in_errors() -> None:
    with pytest.raises(InputError) as raised:
        read(f"{'p' * 1000} q")
    assert len(str(raised.value)) < 200
