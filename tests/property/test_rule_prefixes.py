"""What prefixes of infinite words show of formulas, against small words by brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import islice, product
from random import Random

from bugsieve.base.errors import UnsupportedError
from bugsieve.rooms.rules.engine.words import bad_prefixes_of, has_word
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.ltl.traces import holds, holds_on_lasso
from bugsieve.rooms.rules.ltl.views import in_view, is_proven_by_prefixes, shows_on_prefixes
from bugsieve.rooms.rules.models.bad_prefixes import bad_prefixes
from tests.depth import examples
from tests.property.rules_cases import RuleShape, random_rule
from tests.property.strategies import SMALL, seeded_task

LETTERS = [frozenset(names) for names in ((), ("a",), ("b(x)",), ("a", "b(x)"))]
NUMBER = examples(1500, quick=150)


def formulas() -> Iterator[Formula]:
    sas = seeded_task(0, SMALL)
    for seed in range(NUMBER):
        shape = RuleShape(max_atoms=2, depth=1 + seed % 3, with_did=False)
        yield random_rule(Random(seed), sas, shape).formula


def words() -> Iterator[tuple[list[frozenset[str]], int]]:
    """Infinite words: letters, and where they begin again."""
    for length in (1, 2, 3):
        for letters in product(LETTERS, repeat=length):
            yield from ((list(letters), start) for start in range(length))


def prefixes(letters: list[frozenset[str]], start: int) -> Iterator[list[frozenset[str]]]:
    whole = letters + 5 * letters[start:]
    return (whole[:length] for length in range(1, len(whole) + 1))


def test_what_is_told_of_prefixes_is_so() -> None:
    seen: Counter[str] = Counter()
    random = Random(1)
    known = list(words())
    for formula in formulas():
        proven, shown = is_proven_by_prefixes(formula), shows_on_prefixes(formula)
        assert shown or not proven
        seen.update({"proven": proven, "shown only": shown and not proven, "neither": not shown})
        strong = in_view(formula, "strong")
        for word in random.sample(known, 12):
            if not shown or not holds_on_lasso(formula, *word):
                continue
            assert any(holds(formula, prefix) for prefix in prefixes(*word)), formula
            if proven:
                assert any(holds(strong, prefix) for prefix in prefixes(*word)), formula
    assert min(seen[name] for name in ("proven", "shown only", "neither")) > NUMBER / 50, seen


def test_infinite_words_exist_where_they_are_said_to() -> None:
    seen: Counter[bool | None] = Counter()
    known = list(words())
    for formula in formulas():
        found = has_word(formula)
        seen[found] += 1
        if not found:
            assert found is False
            assert not any(holds_on_lasso(formula, *word) for word in known), formula
        else:
            # Formulas so small have small words.
            assert any(holds_on_lasso(formula, *word) for word in known), formula
    assert seen[True] and seen[False], seen


def test_bad_prefixes_are_those_of_no_word_that_satisfies_the_formula() -> None:
    seen: Counter[bool] = Counter()
    known = list(words())
    for formula in islice(formulas(), examples(400, quick=25)):
        automaton = bad_prefixes_of(formula)
        assert automaton is not None
        for letters in (*product(LETTERS, repeat=1), *product(LETTERS, repeat=2)):
            is_bad = not any(
                holds_on_lasso(formula, [*letters, *loop], len(letters) + start)
                for loop, start in known
            )
            assert automaton.accepts(letters) == is_bad, formula
            seen[is_bad] += 1
    assert seen[True] and seen[False], seen


def test_rules_are_safety_rules_where_every_violation_has_a_bad_prefix() -> None:
    seen: Counter[str] = Counter()
    known = list(words())
    for formula in formulas():
        violations = [word for word in known if not holds_on_lasso(formula, *word)]
        exact = bad_prefixes_of(formula)
        assert exact is not None  # so that nothing is refused for its size
        try:
            automaton = bad_prefixes(formula, name="R")
        except UnsupportedError:
            if not exact.is_empty:
                escaped = [w for w in violations if not any(map(exact.accepts, prefixes(*w)))]
                assert escaped, formula
            seen["refused"] += 1
            continue
        for word in known:
            found = any(map(automaton.accepts, prefixes(*word)))
            assert found == (word in violations), formula
        seen["waits" if not is_proven_by_prefixes(~formula) else "plain"] += 1
    assert min(seen[name] for name in ("refused", "waits", "plain")) > 0, seen
