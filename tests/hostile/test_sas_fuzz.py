"""Random damage to SAS texts: the native reader gives a task that works or says what is wrong."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bugsieve import _native
from tests.depth import examples
from tests.hostile.sas_texts import TEXTS

FEW_EXPANSIONS = 30

NUMBERS = (0, 1, 2, 3, -1, -2, 7, 99, 2**16 - 1, 2**16, 2**31 - 1, 2**31, -(2**31), 2**32, 10**12)
TOKENS = ("1e3", "0x1", "+1", "00", "begin_operator", "end_state", "begin_goal", "Atom", "<none")

words = st.sampled_from([*map(str, (*NUMBERS, 2**63 - 1, 2**63, 2**64)), *TOKENS])
places = st.integers(0, 1 << 16)


@st.composite
def damaged_texts(draw: st.DrawFn) -> bytes:
    """A valid text after one to four damages of bytes, words or lines."""
    text = draw(st.sampled_from(TEXTS)).encode()
    for _ in range(draw(st.integers(1, 4))):
        damage = draw(st.sampled_from([_bytes, _word, _line]))
        text = draw(damage(text))
    return text


@st.composite
def _bytes(draw: st.DrawFn, text: bytes) -> bytes:
    """Some bytes replaced by others."""
    start = draw(places) % (len(text) + 1)
    end = start + draw(st.integers(0, 6))
    return text[:start] + draw(st.binary(max_size=6)) + text[end:]


@st.composite
def _word(draw: st.DrawFn, text: bytes) -> bytes:
    """One word of one line replaced by another."""
    lines = text.split(b"\n")
    row = draw(places) % len(lines)
    row_words = lines[row].split(b" ")
    row_words[draw(places) % len(row_words)] = draw(words).encode()
    lines[row] = b" ".join(row_words)
    return b"\n".join(lines)


@st.composite
def _line(draw: st.DrawFn, text: bytes) -> bytes:
    """One line removed, doubled, or put elsewhere; or the end cut off."""
    lines = text.split(b"\n")
    row, other = draw(places) % len(lines), draw(places) % len(lines)
    action = draw(st.sampled_from(["remove", "double", "move", "cut"]))
    if action == "cut":
        return b"\n".join(lines[:row])
    line = lines[row] if action == "double" else lines.pop(row)
    if action != "remove":
        lines.insert(other, line)
    return b"\n".join(lines)


def read(text: bytes) -> _native.Task | None:
    """The task, or None after a refusal in good form."""
    try:
        return _native.Task.from_sas(text)
    except (_native.SasError, _native.UnsupportedSasError) as refusal:
        error = refusal
    place, sentence = error.args
    if isinstance(error, _native.SasError):
        # A text that ends too early is blamed on the line that should follow.
        assert 1 <= place <= text.count(b"\n") + 2
    assert sentence
    assert "\n" not in sentence
    return None


def exercise(task: _native.Task) -> None:
    """Use every part of a task; an invalid index inside it would show here."""
    state = task.initial_state[None, :]
    names = [task.variable_names, task.operator_names]
    assert [len(group) for group in names] == [task.num_variables, task.num_operators]
    for variable, size in enumerate(task.domain_sizes):
        assert len(task.fact_names(variable)) == size
    for operator in range(task.num_operators):
        task.preconditions(operator)
        task.effects(operator)
    successors, operators, offsets = task.all_successors(state)
    assert len(successors) == len(operators) == offsets[-1]
    assert task.is_applicable(np.repeat(state, len(operators), axis=0), operators).all()
    task.hashes(successors)
    for heuristic in _native.HEURISTICS:
        _native.Heuristic(task, heuristic).evaluate(successors)
    _native.astar(task, state[0], "hmax", max_expansions=FEW_EXPANSIONS)
    _native.greedy(task, state[0], "hff", max_expansions=FEW_EXPANSIONS)


@given(damaged_texts())
@settings(
    max_examples=examples(4000),
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
def test_damaged_texts(text: bytes) -> None:
    task = read(text)
    if task is None:
        return
    exercise(task)
    again = task.to_sas(task.initial_state)
    assert _native.Task.from_sas(again).to_sas(task.initial_state) == again


@given(st.binary(max_size=200))
@settings(max_examples=examples(1000), deadline=None, derandomize=True, database=None)
def test_arbitrary_bytes(data: bytes) -> None:
    read(data)
    read(b"begin_version\n3\nend_version\n" + data)
