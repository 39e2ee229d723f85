from __future__ import annotations

import pytest

from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.english.grid import MAX_STEPS
from bugsieve.rooms.rules.english.reader import read_grid, read_sentence
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place

PLACE = Place("rules.toml", 7, 12)


def ltl(sentence: str) -> str:
    return to_text(read_sentence(sentence, place=PLACE))


@pytest.mark.parametrize(
    ("sentence", "formula"),
    [
        (
            "Whenever samples(?r), the rover shall immediately satisfy !moving(?r).",
            "G(samples(?r) -> !moving(?r))",
        ),
        ("the rover shall ALWAYS satisfy not p and (q or not(r))", "G(!p & (q | !r))"),
        ("The rover arm shall never satisfy p -> q -> r.", "G !(p -> q -> r)"),
        ("The rover shall never satisfy p & q & r | s.", "G !(p & q & r | s)"),
        (
            "Between (a and b) and c, the x shall always satisfy p.",
            "G((a & b) & !c & F c -> p W c)",
        ),
        ("The x shall always satisfy at( rover1 , w2 ) & at.", "G(at(rover1,w2) & at)"),
        ("The x shall always satisfy always.", "G always"),
        (
            "After(q & r), whenever(s | p), the x shall always satisfy p.",
            "!(q & r) W ((q & r) & G(s | p -> G p))",
        ),
        ("The x shall always satisfy `until` & `not(p)`.", "G(until & not(p))"),
        ("The x shall within 1 step satisfy p ∨ ¬q.", "(p | !q) | X(p | !q)"),
        ("It is always the case that (if moving then (stowed)).", "G(moving -> stowed)"),
        ("if p then if q then r", "p -> q -> r"),
        ("a & if p and b then q or r <-> s", "a & (p & b -> q | r) <-> s"),
        ("(" * 5_000 + "p" + ")" * 5_000, "p"),
        ("not p until q, if that ever comes until r, which must come", "(!p W q) U r"),
        ("p until it is not the case that q, which must come", "p U !q"),
        ("p if and only if at the next step, if there is one, q.", "p <-> N q"),
        ("moving", "moving"),
        ("The x shall\n  always satisfy\n  p.", "G p"),
    ],
)
def test_sentences(sentence: str, formula: str) -> None:
    assert ltl(sentence) == formula


def test_the_component_is_kept() -> None:
    spoken = read_grid("The rover arm of(r1) shall always satisfy p.", place=PLACE)
    assert spoken.component == "rover arm of(r1)"


@pytest.mark.parametrize(
    ("sentence", "error"),
    [
        ("The rover shall satisfy p.", "7:28: the sentence says not when: between 'shall' and"),
        ("The rover shall satisfy p.", "(NASA's FRET would read 'eventually')"),
        ("The rover shall allways satisfy p.", "no timing 'allways' (did you mean 'always'?)"),
        ("Wenever p, the x shall always satisfy q.", "7:12: no part of a sentence begins with"),
        ("Wenever p, the x shall always satisfy q.", "(did you mean 'whenever'?)"),
        ("When p, the x shall always satisfy q.", "say 'upon C' if C must become true"),
        ("In p, the x shall always satisfy q.", "say 'while C'"),
        ("Upon p, before q, the x shall always satisfy r.", "7:20: 'before' comes too late"),
        ("Upon p the x shall always satisfy r.", "7:19: ',' is expected after the condition"),
        ("The x shall within p satisfy q.", "a number of steps is expected after 'within'"),
        ("The x shall within 0 steps satisfy q.", f"from 1 to {MAX_STEPS}, not '0'"),
        ("The x shall for 51 steps satisfy q.", f"from 1 to {MAX_STEPS}, not '51'"),
        (f"The x shall for {'9' * 5000} steps satisfy q.", f"from 1 to {MAX_STEPS}"),
        ("The x shall for 3 stpes satisfy q.", "'steps' is expected after 'for 3', not 'stpes'"),
        ("The x shall after 3 steps satisfy q.", "FRET's timing 'after N steps'"),
        ("The x shall at the next tick satisfy q.", "'step' is expected in 'at the next step'"),
        ("The x shall always satisfy p q.", "7:41: '.', 'and', 'or', '&', '|' or '->' is"),
        ("The x shall always satsify p.", "'satisfy' is expected after the timing, not 'satsify'"),
        ("The x shall always satsify p.", "(did you mean 'satisfy'?)"),
        ("The x shall always satisfy until.", "an atom of that name is written `until`"),
        ("The x shall always satisfy X.", "'X' is an operator of LTL and no atom"),
        ("The x shall always satisfy p U q.", "is expected, not 'U'"),
        ("The x shall always satisfy it is always the case that p.", "holds in a single state"),
        ("The x shall always satisfy (p.", "')' is expected, not '.'"),
        ("The x shall always satisfy p ~ q.", "'~' does not belong in a sentence"),
        ("The shall always satisfy p.", "the component is expected after 'the'"),
        ("The x shall\nalways satisfy\n  &.", "rules.toml:9:3: an atom or a condition"),
        ("Between a and b and c, the x shall always satisfy p.", "one 'and' divides"),
        ("p until q.", "', which must come' or ', if that ever comes' is expected"),
        ("It is sometimes the case that p.", "no phrase begins like this; there are"),
        ("if p q", "'then' is expected after a condition that 'if' begins, not 'q'"),
        ("", "rules.toml:7:12: an atom or a condition is expected, not the end"),
        ("(" * 5_000 + "p" + ")" * 4_999, "')' is expected, not the end"),
        ("The x shall always satisfy at(a b).", "7:41: the arguments of 'at' are names or"),
        ("The x shall always satisfy at(a, b.", "7:41: the arguments of 'at' are names or"),
        ("After(q), the x shall always satisfy p.", "put a blank after 'After'"),
        ("(if p) then q", "'then' is expected after a condition that 'if' begins, not ')'"),
        ("if (p then q)", "')' is expected, not 'then'"),
        ("p) & q", "'.', 'and', 'or', '&', '|' or '->' is expected, not ')'"),
        ("p until q & r, which must come", "', which must come' or"),
        ("p -> " * 300 + "p", "nested more than 200 levels deep"),
        ("not " * 100_000 + "p", "the sentence is longer than 100000 characters"),
        ("not " * 20_000 + "p", "nested more than 200 levels deep"),
    ],
)
def test_errors_name_place_reason_and_nearest_word(sentence: str, error: str) -> None:
    with pytest.raises(InputError) as caught:
        read_sentence(sentence, place=PLACE)
    assert error in str(caught.value)
    assert str(caught.value).startswith("rules.toml:")


def test_the_largest_number_of_steps_is_no_deeper_than_allowed() -> None:
    for timing in ("within", "for"):
        sentence = f"Before q, upon c, the x shall {timing} {MAX_STEPS} steps satisfy p | r."
        assert len(ltl(sentence)) > 1000
