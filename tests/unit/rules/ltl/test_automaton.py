"""Automata: their size, their guards, what they say, and when they are given up."""

from __future__ import annotations

import pytest

from bugsieve.rooms.rules.ltl.automaton import (
    Automaton,
    TooManyStatesError,
    automaton_of,
    equivalent,
)
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl


def read(text: str) -> Formula:
    return read_ltl(text, place=Place("test"))


def made(text: str) -> Automaton:
    return automaton_of(read(text))


@pytest.mark.parametrize(
    ("text", "states"),
    [
        ("true", 1),
        ("false", 1),
        ("p", 3),
        ("G p", 2),
        ("F p", 2),
        ("G(p -> F q)", 2),
        ("G(p -> q)", 2),
        ("p U q", 3),
        ("X p", 4),
        ("G(p -> X q)", 3),
        ("(!p | q) U (p & !q)", 2),
        ("(F a & F b) | F a", 2),
        (" & ".join(f"F a{number}" for number in range(6)), 64),
        ("F(p & X X X X q)", 17),
    ],
)
def test_sizes(text: str, states: int) -> None:
    assert len(made(text)) == states


def test_the_automaton_of_a_response() -> None:
    automaton = made("G(p -> F q)")
    waiting = automaton.step(automaton.initial, {"p"})
    assert automaton.accepting == {automaton.initial}
    assert waiting not in automaton.accepting
    assert automaton.step(waiting, {"p", "q"}) == automaton.initial
    edges = automaton.edges[waiting]
    assert {(edge.target, edge.cubes) for edge in map(frozen, edges)} == {
        (waiting, ((("q", False),),)),
        (automaton.initial, ((("q", True),),)),
    }


def frozen(edge):  # type: ignore[no-untyped-def]
    return edge._replace(cubes=tuple(tuple(cube.items()) for cube in edge.cubes))


def test_guards_ask_only_for_what_matters() -> None:
    assert made("p & (q | !q) & F p").atoms == ("p",)
    assert made("G(q -> p) & F true").atoms == ("q", "p")
    assert automaton_of(read("q & p"), order=("p", "q")).atoms == ("p", "q")
    assert automaton_of(read("q & p"), order=("p",)).atoms == ("p", "q")


def test_equal_languages_have_equal_automata() -> None:
    assert made("!F !p") == made("G p")
    assert hash(made("!F !p")) == hash(made("G p"))
    assert made("p & q") != made("q & p")
    assert made("p & q").in_order(("q", "p")) == made("q & p")
    assert made("p & q").in_order(("q",)) == made("q & p")


def test_equivalence_of_formulas_and_automata() -> None:
    assert equivalent(read("p W q"), read("q R (p | q)"))
    assert equivalent(made("p & q"), read("q & p"))
    assert not equivalent(read("X p"), read("N p"))
    assert not equivalent(read("p"), read("q"))


def test_the_empty_word_is_no_trace() -> None:
    for text in ("true", "G p", "F p"):
        assert not made(text).accepts([])
    assert made("true").accepts([set()])


@pytest.mark.parametrize("text", ["F(p & N false)", "F(!p & N false)"])
def test_the_start_is_a_rejecting_state_if_two_have_its_successors(text: str) -> None:
    automaton = made(text)
    assert len(automaton) == 2
    assert automaton.initial not in automaton.accepting


def test_emptiness() -> None:
    assert made("F p & G !p").is_empty
    assert made("X true & N false").is_empty
    assert made("false").shortest_word() is None
    assert not made("G false | N false").is_empty


def test_sinks() -> None:
    response, reach, keep = made("G(p -> F q)"), made("F p"), made("G p")
    assert response.accepting_sinks == response.rejecting_sinks == frozenset()
    assert reach.accepting_sinks == reach.accepting
    assert reach.rejecting_sinks == frozenset()
    assert keep.rejecting_sinks == frozenset({keep.step(keep.initial, ())})
    assert made("true").accepting_sinks == {0}
    assert made("false").rejecting_sinks == {0}


def test_stuttering() -> None:
    assert made("G(p -> F q)").is_stutter_closed
    assert made("(!p | q) U (p & !q)").is_stutter_closed
    assert not made("X p").is_stutter_closed
    assert not made("G(p -> X !p)").is_stutter_closed
    assert made("X true | !X true").is_stutter_closed


def test_shortest_words() -> None:
    assert made("F(p & X(q & s))").shortest_word() == (frozenset("p"), frozenset("qs"))
    assert made("p | q & s").shortest_word() == (frozenset("p"),)


def test_too_many_states() -> None:
    text = " & ".join(f"F a{number}" for number in range(14))
    with pytest.raises(TooManyStatesError, match="has more than 10000 states") as raised:
        made(text)
    assert raised.value.size == 10_000
    with pytest.raises(TooManyStatesError, match="has more than 2 states"):
        automaton_of(read("p U q"), max_states=2)
    assert len(automaton_of(read("p U q"), max_states=3)) == 3


def test_too_many_guards() -> None:
    text = " & ".join(f"F a{number}" for number in range(30))
    with pytest.raises(TooManyStatesError, match="guards take more than 30000 nodes"):
        automaton_of(read(text), max_states=1000)
    automaton = made(" | ".join(f"a{number} & b{number}" for number in range(40)))
    assert len(automaton.nodes) == 80
    with pytest.raises(TooManyStatesError, match="guards have more than 200000 cubes"):
        assert automaton.edges


def test_too_many_atoms() -> None:
    with pytest.raises(TooManyStatesError, match="more than 500 different atoms and temporal"):
        made(" & ".join(f"a{number}" for number in range(3000)))
