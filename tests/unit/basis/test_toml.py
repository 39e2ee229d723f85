"""What is written as TOML is read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bugsieve.base.errors import InputError
from bugsieve.base.files_and_processes.toml import parse_toml, toml_text

scalars = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"])),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.booleans(),
)
names = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)
values = st.one_of(scalars, st.lists(scalars, max_size=3))
tables = st.recursive(
    st.dictionaries(names, values, max_size=4),
    lambda inner: st.dictionaries(names, st.one_of(values, inner), max_size=4),
    max_leaves=8,
)


@given(tables)
def test_round_trip(table: dict[str, object]) -> None:
    assert parse_toml(toml_text(table), "x") == table


def test_none_is_left_out() -> None:
    assert toml_text({"a": None, "t": {"b": None, "c": (1, 2)}}) == "[t]\nc = [1, 2]\n"


def test_the_file_is_named() -> None:
    with pytest.raises(InputError, match=r"options\.toml: is no TOML: .*line 1"):
        parse_toml("a = = 1", "options.toml")


def test_a_number_of_too_many_digits_is_no_toml() -> None:
    with pytest.raises(InputError, match=r"options\.toml: is no TOML: "):
        parse_toml(f"a = {'9' * 5_000}", "options.toml")


def test_what_would_take_for_ever_is_refused_at_its_place() -> None:
    sentence = r"options\.toml: a key has more than 20 parts \(at line 2, column 41\)"
    with pytest.raises(InputError, match=sentence):
        parse_toml(f"a = 1\n{'b.' * 50_000}c = 1", "options.toml")
    with pytest.raises(InputError, match="values inside each other"):
        parse_toml(f"a = {'[' * 50_000}", "options.toml")
