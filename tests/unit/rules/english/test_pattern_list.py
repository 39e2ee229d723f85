from __future__ import annotations

from bugsieve.rooms.rules.english.pattern_list import listed_patterns, pattern_lines
from bugsieve.rooms.rules.english.reader import read_sentence
from bugsieve.rooms.rules.ltl.automaton import equivalent
from bugsieve.rooms.rules.ltl.patterns import PATTERNS, SCOPES
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.ltl.traces import holds

PLACE = Place("patterns")


def test_sentences_and_traces_fit_the_formulas() -> None:
    items = list(listed_patterns())
    assert len(items) == len(PATTERNS) * len(SCOPES)
    for item in items:
        formula = read_ltl(item.ltl, place=PLACE)
        assert equivalent(read_sentence(item.sentence, place=PLACE), formula)
        assert holds(formula, item.satisfying)
        assert not holds(formula, item.violating)


def test_the_listing() -> None:
    lines = list(pattern_lines())
    start = lines.index("response: whenever p holds, s holds then or later")
    assert lines[start + 1 : start + 6] == [
        "  global: in the whole trace (p, s)",
        "    G(p -> F s)",
        "    Whenever p, the system shall eventually satisfy s.",
        "    kept by    {p} {s}",
        "    broken by  {p}",
    ]
