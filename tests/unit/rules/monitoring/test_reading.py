"""Automata and loops in lockstep, against one word at a time."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from bugsieve.rooms.rules.engine.conditions import letter
from bugsieve.rooms.rules.ltl.automaton import automaton_of
from bugsieve.rooms.rules.ltl.traces import holds_on_lasso
from bugsieve.rooms.rules.monitoring import reading
from bugsieve.rooms.rules.monitoring.lassos import Lassos
from bugsieve.rooms.rules.monitoring.reading import NEVER, read_words
from bugsieve.rooms.rules.monitoring.traces import Letters, RunTraces
from tests.property.rules_cases import random_formula

NAMES = ("a", "b", "c")
ATOMS = {
    "a": ("fact", 0, 1),
    "b": ("not", ("fact", 1, 1)),
    "c": ("or", ("did", (0, 2)), ("and", ("fact", 0, 1), ("did", (1,)))),
}


def random_traces(random: Random, count: int) -> RunTraces:
    """Traces of one to nine states over two variables and three operators."""
    states = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=np.uint16)
    lengths = [random.randint(1, 9) for _ in range(count)]
    which = np.array([random.randrange(4) for _ in range(sum(lengths))], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    actions = [[random.randrange(3) for _ in range(length - 1)] for length in lengths]
    return RunTraces.of_runs(states, which, offsets, actions)


def words_of(traces: RunTraces) -> list[list[frozenset[str]]]:
    words = []
    for low, high in zip(traces.offsets[:-1], traces.offsets[1:], strict=True):
        rows = traces.states[traces.which[low:high]].tolist()
        operators = traces.operators[low:high].tolist()
        words.append([letter(ATOMS, s, o) for s, o in zip(rows, operators, strict=True)])
    return words


@pytest.mark.parametrize("cells", [1, 10**6])
def test_automata_accept_what_they_accept_alone(
    cells: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "_CELLS", cells)
    random = Random(1)
    automata = [automaton_of(random_formula(random, NAMES, 2, True)) for _ in range(30)]
    traces = random_traces(random, 20)
    found = read_words(automata, Letters(traces, ATOMS))
    for row, automaton in enumerate(automata):
        for column, word in enumerate(words_of(traces)):
            accepted = [automaton.accepts(word[: end + 1]) for end in range(len(word))]
            first = accepted.index(True) if any(accepted) else NEVER
            assert (found.first[row, column], found.at_end[row, column]) == (first, accepted[-1])


def test_loops_satisfy_what_they_satisfy_alone() -> None:
    random = Random(2)
    traces = random_traces(random, 30)
    words = words_of(traces)
    backs = np.array([random.randrange(len(word)) for word in words])
    letters, lassos = Letters(traces, ATOMS), Lassos(traces.offsets, backs)
    for _ in range(60):
        formula = random_formula(random, NAMES, 3, True)
        expected = [
            holds_on_lasso(formula, word, back)
            for word, back in zip(words, backs.tolist(), strict=True)
        ]
        assert lassos.holds(formula, letters.column).tolist() == expected


def test_letters_of_many_atoms_are_told_apart() -> None:
    random = Random(3)
    names = [f"x{number}" for number in range(40)]
    states = np.array([[random.randrange(2) for _ in names] for _ in range(300)], dtype=np.uint16)
    states = states[[random.randrange(300) for _ in range(500)]]
    atoms = {name: ("fact", number, 1) for number, name in enumerate(names)}
    traces = RunTraces.of_run(states, [0] * 499)
    letters, codes = Letters(traces, atoms).different(names)
    assert (letters[codes] == (states == 1)).all()
    assert len(letters) == len({row.tobytes() for row in states})


def test_no_atoms_and_no_traces_are_fine() -> None:
    traces = random_traces(Random(4), 3)
    letters, codes = Letters(traces, ATOMS).different(())
    assert letters.shape == (1, 0) and not codes.any()
    always = automaton_of(random_formula(Random(5), NAMES, 1, False))
    assert read_words([always], Letters(random_traces(Random(6), 0), ATOMS)).first.shape == (1, 0)
