"""Conditions of sentences, the literals that stand for them, and which of them are vacuous."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from bugsieve.rooms.rules.english.reader import read_sentence
from bugsieve.rooms.rules.ltl.constants import renamed, with_constants
from bugsieve.rooms.rules.ltl.formula import Formula, atom, negation
from bugsieve.rooms.rules.ltl.patterns import PATTERNS, SCOPES, pattern_formula
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.obligations.obligation import occurrences
from bugsieve.rooms.rules.obligations.vacuity import RuleCondition, conditions_of, vacuous_names
from tests.depth import examples

PLACE = Place("test")


def conditions(written: Formula, truths: Mapping[str, bool] | None = None) -> list[list[str]]:
    """Of each condition its name and the literals that stand for it, which are read from texts."""
    whole = read_ltl(to_text(written), place=PLACE)
    judged = with_constants(whole, truths or {})
    left = None if judged.operator in ("true", "false") else judged
    literals = [] if left is None else [str(one) for one in occurrences(left)]
    return [
        [one.name, *(literals[number] for number in one.literals)]
        for one in conditions_of(written, whole, left)
    ]


@pytest.mark.parametrize(
    ("sentence", "found"),
    [
        ("Upon c, the rover shall immediately satisfy r.", ["c !c c !c", "r r r"]),
        ("Whenever c & d, the rover shall eventually satisfy r.", ["c !c", "d !d", "r r"]),
        ("The rover shall within 2 steps satisfy r.", ["r r r r"]),
        ("Before b, the rover shall never satisfy r.", ["b !b b", "r !r"]),
    ],
)
def test_sentences(sentence: str, found: list[str]) -> None:
    assert [" ".join(item) for item in conditions(read_sentence(sentence, place=PLACE))] == found


def test_what_never_changes_takes_others_with_it() -> None:
    rule = read_ltl("G(c & s -> r) & F(s | r)", place=PLACE)
    assert conditions(rule) == [["c", "!c"], ["s", "!s"], ["r", "r"], ["s", "s"], ["r", "r"]]
    true, false = conditions(rule, {"s": True}), conditions(rule, {"s": False})
    assert true == [["c", "!c"], ["s"], ["r", "r"], ["s"], ["r"]]
    assert false == [["c"], ["s"], ["r"], ["s"], ["r", "r"]]
    nothing = conditions(read_ltl("G(s -> r)", place=PLACE), {"s": False})
    assert nothing == [["s"], ["r"]]


def test_formulas_that_do_not_fit_have_conditions_of_their_own() -> None:
    written, whole = (read_ltl(text, place=PLACE) for text in ("G a", "F(a & b)"))
    assert conditions_of(written, whole, whole) == (
        RuleCondition("a", (0,)),
        RuleCondition("b", (1,)),
    )
    assert conditions_of(written, whole, None) == ()
    assert conditions_of(whole, whole, written) == (RuleCondition("a", (0,)),)


@pytest.mark.parametrize(
    ("verdicts", "is_vacuous"),
    [
        ([], True),
        (["vacuous"], True),
        (["vacuous", "infeasible"], True),
        (["infeasible", "infeasible"], False),
        (["vacuous", "covered"], False),
        (["vacuous", "not testable"], False),
        (["vacuous", "inconclusive"], False),
        (["vacuous", None], False),
    ],
)
def test_every_literal_must_be_vacuous(verdicts: list, is_vacuous: bool) -> None:  # type: ignore[type-arg]
    found = RuleCondition("c", tuple(range(len(verdicts))))
    assert found.is_vacuous(verdicts.__getitem__) is is_vacuous


def test_names_say_which_mention_only_where_they_must() -> None:
    mentions = [RuleCondition(name, ()) for name in "aba"]
    assert vacuous_names(mentions, [True, False, False]) == ["a (mention 1 of 2)"]
    assert vacuous_names(mentions, [True, True, True]) == ["a", "b"]
    assert vacuous_names(mentions, [False, True, False]) == ["b"]


def random_rule(random: Random) -> Formula:
    """A pattern over conditions of which some have the same atoms."""
    pattern, scope = random.choice(list(PATTERNS)), random.choice(list(SCOPES))
    names = [*PATTERNS[pattern].parameters, *SCOPES[scope].parameters]

    def condition() -> Formula:
        item = atom(random.choice("ab"))
        if random.random() < 0.5:
            item = Formula(random.choice(("and", "or", "iff")), (item, atom(random.choice("abc"))))
        return negation(item) if random.random() < 0.3 else item

    given = {name: condition() for name in names if name != "k"}
    return pattern_formula(pattern, scope, k=1 if "k" in names else None, **given)


def test_literals_belong_to_the_mentions_they_come_from() -> None:
    """Told apart by names of their own, in formulas that fold alike."""
    seen = doubtful = 0
    for seed in range(examples(2000, quick=200)):
        random = Random(seed)
        written = random_rule(random)
        fresh: dict[int, str] = {}

        def mark(item: Formula, fresh: dict[int, str] = fresh) -> Formula:
            if item.operator == "atom":
                return atom(fresh.setdefault(id(item), f"{item.name}{len(fresh)}"))
            return Formula(item.operator, tuple(map(mark, item.parts)))

        marked = mark(written)
        truths = {name: random.random() < 0.5 for name in "abc" if random.random() < 0.3}
        plain = with_constants(marked, {n: truths[n[0]] for n in fresh.values() if n[0] in truths})
        judged = with_constants(written, truths)
        left = None if judged.operator in ("true", "false") else judged
        if renamed(plain, lambda name: name[0]) != judged:
            continue  # equal parts are one there
        wanted: dict[str, list[int]] = {name: [] for name in fresh.values()}
        for number, one in enumerate(() if left is None else occurrences(plain)):
            wanted[str(one).lstrip("!")].append(number)
        whole = read_ltl(to_text(written), place=PLACE)
        found = {one.literals for one in conditions_of(written, whole, left)}
        if found != {tuple(numbers) for numbers in wanted.values()}:
            # Other truths of what is left out would leave the same formula of other mentions.
            assert found == {(number,) for number in range(len(occurrences(plain)))}, seed
            doubtful += 1
        seen += bool(truths) and left is not None
    assert seen > 20 and doubtful <= seen // 50
