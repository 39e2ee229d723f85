"""CPU seconds of temporal formulas: their automata, and those of all their traps.

`python -m benchmarks.ltl`; `make bench` calls `bench_ltl`. The traps are those of all literals of
a formula and of its negation in all three views.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

from benchmarks.table import Bar, Report, Row
from bugsieve.rooms.rules.ltl.automaton import TooManyStatesError, automaton_of
from bugsieve.rooms.rules.ltl.causes import CRITERIA, Criterion, literals, trap
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.ltl.views import VIEWS, in_view

REPETITIONS = 3


@dataclass(frozen=True)
class FormulaBenchmark:
    """A formula, what is made of it, and the CPU seconds it may take."""

    name: str
    text: str
    make: Callable[[Formula], str]
    seconds: float


def with_traps(criterion: Criterion) -> Callable[[Formula], str]:
    """Make the automata of the formula, its views and its traps; say how many."""

    def make(formula: Formula) -> str:
        made = 0
        for item, view in product((formula, ~formula), VIEWS):
            automaton_of(in_view(item, view))
            for occurrence in literals(item):
                automaton_of(trap(item, occurrence, view, criterion))
                made += 1
        return f"{made} traps"

    return make


def whole(formula: Formula) -> str:
    """Make the automaton with all its guards; say its size."""
    return f"{len(automaton_of(formula).edges)} states"


def given_up(formula: Formula) -> str:
    """Try to make an automaton that is too large; say how far it went."""
    try:
        automaton_of(formula)
    except TooManyStatesError as error:
        return f"up to {error.size}"
    raise AssertionError("the automaton is small enough")


def reach_all(number: int) -> str:
    """F a1 & F a2 & …, which has two states for each atom, multiplied."""
    return " & ".join(f"F a{index}" for index in range(1, number + 1))


WIDE = "G((a1 & a2 & a3 & a4 & a5 & a6) -> X(b1 | b2 | b3 | b4 | b5 | b6))"
CHAIN = "G(a1 -> F(a2 & F(a3 & F(a4 & F(a5 & F a6)))))"
BENCHMARKS = [
    *(FormulaBenchmark(f"wide X, {name}", WIDE, with_traps(name), 1.0) for name in CRITERIA),
    *(FormulaBenchmark(f"chain of 6, {name}", CHAIN, with_traps(name), 1.0) for name in CRITERIA),
    FormulaBenchmark("F a1 & … & F a10", reach_all(10), whole, 5.0),
    FormulaBenchmark("F a1 & … & F a14", reach_all(14), given_up, 5.0),
    FormulaBenchmark("F a1 & … & F a30", reach_all(30), given_up, 5.0),
]


def bench_ltl(report: Report, *, repetitions: int = REPETITIONS) -> None:
    """Best CPU seconds of each formula, reading included."""
    report.section("temporal formulas, CPU seconds (no peer: what was made)", figure="seconds")
    for benchmark in BENCHMARKS:
        runs = [_run(benchmark) for _ in range(repetitions)]
        seconds = min(seconds for seconds, _ in runs)
        bar = Bar(benchmark.seconds, at_least=False)
        report.add(Row(benchmark.name, f"{seconds:.3f}", runs[0][1], seconds, bar))


def _run(benchmark: FormulaBenchmark) -> tuple[float, str]:
    start = time.process_time()
    made = benchmark.make(read_ltl(benchmark.text, place=Place(benchmark.name)))
    return time.process_time() - start, made


if __name__ == "__main__":
    bench_ltl(Report())
