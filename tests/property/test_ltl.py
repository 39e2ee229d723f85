"""Temporal logic against its definitions: on all short words, for random formulas."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, product
from random import Random

import numpy as np
import pytest

from bugsieve.rooms.rules.ltl.automaton import Automaton, automaton_of, equivalent
from bugsieve.rooms.rules.ltl.causes import CRITERIA, Criterion, literals, trap
from bugsieve.rooms.rules.ltl.formula import Formula, atom, atoms_of, distinct_parts, finally_
from bugsieve.rooms.rules.ltl.normal_form import TEMPORAL, nnf, simplified
from bugsieve.rooms.rules.ltl.patterns import PATTERNS, SCOPES, parameters_of, pattern_formula
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.ltl.reader import Place, read_ltl
from bugsieve.rooms.rules.ltl.traces import holds, holds_on_lasso, truth_table
from bugsieve.rooms.rules.ltl.views import VIEWS, View, in_view
from tests.depth import examples
from tests.reference import ltl as reference
from tests.reference.ltl import AllWords, Truth, random_formula

ALL = AllWords("pq", 5)
P, S, Q, R = map(atom, "psqr")


def formulas(count: int, *, depth: int = 4, names: str = "pq") -> Iterator[Formula]:
    """Random formulas, the same ones in every run."""
    for seed in range(count):
        random = Random(seed)
        yield random_formula(random, random.randint(1, depth), names)


def read(text: str) -> Formula:
    return read_ltl(text, place=Place("test"))


def implies(left: list[Truth], right: list[Truth]) -> bool:
    return all(bool((~one | two).all()) for one, two in zip(left, right, strict=True))


def same(left: list[Truth], right: list[Truth]) -> bool:
    return all(np.array_equal(one, two) for one, two in zip(left, right, strict=True))


def table(automaton: Automaton, letters: list[reference.Letter]) -> list[list[int]]:
    return [
        [automaton.step(state, letter) for letter in letters] for state in range(len(automaton))
    ]


def test_the_twins_agree_with_each_other() -> None:
    words = AllWords("pq", 3)
    for formula in formulas(examples(300, quick=60), depth=3):
        expected = [reference.holds(formula, word) for word in reference.words("pq", 3)]
        assert np.concatenate(words.truth(formula)).tolist() == expected
        core = reference.core(formula)
        neutral = [reference.truncated(core, word, "neutral") for word in reference.words("pq", 3)]
        assert neutral == expected


def test_traces_satisfy_what_they_should() -> None:
    words = reference.words("pq", 4)
    for number, formula in enumerate(formulas(examples(2000))):
        for word in Random(number).sample(words, 12):
            assert holds(formula, word) == reference.holds(formula, word), to_text(formula)
            for row in truth_table(formula, word):
                expected = [reference.holds(row.formula, word[i:]) for i in range(len(word))]
                assert list(row.values) == expected


def test_lassos_satisfy_what_they_should() -> None:
    words = reference.words("pq", 4)
    for number, formula in enumerate(formulas(examples(2000))):
        core = reference.core(formula)
        random = Random(number)
        for word in random.sample(words, 8):
            start = random.randrange(len(word))
            expected = reference.holds_for_ever(core, word[:start], word[start:])
            assert holds_on_lasso(formula, word, start) == expected, (to_text(formula), word)


def test_text_reads_back_as_the_same_formula() -> None:
    for formula in formulas(examples(5000), depth=6, names="pqst"):
        assert read(to_text(formula)) == formula


def test_parentheses_are_needed() -> None:
    """Whichever pair is left out, another formula is read."""
    seen = 0
    for formula in formulas(examples(1000), depth=4):
        text = to_text(formula)
        for start in (match.start() for match in re.finditer(r"\(", text)):
            end = closing(text, start)
            other = f"{text[:start]} {text[start + 1 : end]} {text[end + 1 :]}"
            assert read(other) != formula, text
            seen += 1
    assert seen >= examples(500)


def closing(text: str, start: int) -> int:
    depth = 0
    for index in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[index], 0)
        if depth == 0:
            return index
    raise AssertionError(text)


def test_normal_forms_mean_the_same() -> None:
    for formula in formulas(examples(1500)):
        expected = ALL.truth(formula)
        assert same(ALL.truth(simplified(formula)), expected), to_text(formula)
        for normal in (nnf(formula), nnf(formula, equivalences="atom")):
            assert same(ALL.truth(normal), expected), to_text(formula)
        for item in distinct_parts(nnf(formula)):
            assert item.operator not in ("implies", "iff")
            assert item.operator != "not" or item.parts[0].operator == "atom"


@pytest.mark.parametrize("view", VIEWS)
def test_views_are_truth_on_truncated_paths(view: View) -> None:
    words = reference.words("pq", 3)
    for formula in formulas(examples(800, quick=80), depth=3):
        core = reference.core(formula)
        expected = [reference.truncated(core, word, view) for word in words]
        found = np.concatenate(AllWords("pq", 3).truth(in_view(formula, view)))
        assert found.tolist() == expected, to_text(formula)


def test_what_is_strongly_true_stays_true_and_what_is_weakly_false_stays_false() -> None:
    words = reference.words("pq", 3)
    seen: Counter[str] = Counter()
    for number, formula in enumerate(formulas(examples(2000))):
        random = Random(number)
        prefix, loop = random.choice(words), random.choice(words)
        truth = holds_on_lasso(formula, prefix + loop, len(prefix))
        if holds(in_view(formula, "strong"), prefix):
            seen["strong"] += 1
            assert truth, (to_text(formula), prefix, loop)
        if not holds(in_view(formula, "weak"), prefix):
            seen["not weak"] += 1
            assert not truth, (to_text(formula), prefix, loop)
    assert min(seen["strong"], seen["not weak"]) >= examples(200)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_causes_of_stronger_views_are_causes_of_weaker_ones(criterion: Criterion) -> None:
    met: Counter[str] = Counter()
    for formula in formulas(examples(600, quick=60), depth=3):
        seen = {view: ALL.truth(in_view(formula, view)) for view in VIEWS}
        for occurrence in literals(formula):
            traps = {view: ALL.truth(trap(formula, occurrence, view, criterion)) for view in VIEWS}
            assert implies(traps["strong"], traps["neutral"]), to_text(formula)
            assert implies(traps["neutral"], traps["weak"]), to_text(formula)
            for view in VIEWS:
                assert implies(traps[view], seen[view]), (to_text(formula), view)
                met[view] += any(row.any() for row in traps[view])
    assert min(met.values()) >= examples(200), met


def test_a_unique_first_cause_is_a_unique_cause() -> None:
    differs: Counter[View] = Counter()
    for formula in formulas(examples(1000, quick=80), depth=3):
        for occurrence, view in product(literals(formula), VIEWS):
            first = ALL.truth(trap(formula, occurrence, view, "ufc-first"))
            unique = ALL.truth(trap(formula, occurrence, view, "ufc"))
            assert implies(first, unique), to_text(formula)
            differs[view] += not same(first, unique)
    assert differs["strong"] >= 1 and min(differs["neutral"], differs["weak"]) >= examples(
        50, quick=5
    )


def test_exclusions_are_read_in_the_dual_view() -> None:
    """In the same view this trace would show p strongly, but not neutrally: r came before it."""
    formula = read("(p | r | q & X X X q) U s")
    word = [frozenset("rq"), frozenset("p"), frozenset("s")]
    first = literals(formula)[0]
    assert holds(trap(formula, first, "strong", "ufc"), word)
    assert not holds(trap(formula, first, "strong", "ufc-first"), word)
    assert not holds(trap(formula, first, "neutral", "ufc-first"), word)
    assert holds(trap(formula, first, "weak", "ufc-first"), word)


def test_a_literal_that_flips_the_formula_is_its_unique_cause() -> None:
    differs = 0
    for formula in formulas(examples(1500), depth=3):
        for occurrence in literals(formula):
            flip = ALL.truth(trap(formula, occurrence, "neutral", "flip"))
            unique = ALL.truth(trap(formula, occurrence, "neutral", "ufc"))
            assert implies(flip, unique), (to_text(formula), str(occurrence))
            differs += not same(flip, unique)
    assert differs >= examples(50)


def test_no_literal_flips_the_formula_that_is_never_true() -> None:
    met = 0
    for formula in formulas(examples(1000), depth=3):
        for occurrence, view in product(literals(formula), VIEWS):
            flip = ALL.truth(trap(formula, occurrence, view, "flip"))
            seen = ALL.truth(finally_(occurrence.literal))
            assert implies(flip, seen), (to_text(formula), str(occurrence), view)
            met += any(row.any() for row in flip)
    assert met >= examples(1000)


def test_a_strong_cause_is_one_however_the_trace_goes_on() -> None:
    words = reference.words("pq", 3)
    met = 0
    for number, formula in enumerate(formulas(examples(1000), depth=3)):
        random = Random(number)
        for occurrence in literals(formula):
            strong = trap(formula, occurrence, "strong")
            neutral = trap(formula, occurrence, "neutral")
            for prefix in random.sample(words, 10):
                if holds(strong, prefix):
                    met += 1
                    loop = random.choice(words)
                    assert holds_on_lasso(neutral, prefix + loop, len(prefix)), to_text(formula)
    assert met >= examples(1000)


NOTE = [  # rule, polarity, literal, trap in the neutral view, in the weak and in the strong one
    ("G(p -> q)", True, "!p", "(!p | q) U (!p & !q & G(!p | q))", None, "false"),
    ("G(p -> q)", True, "q", "(!p | q) U (p & q & G(!p | q))", None, "false"),
    ("G(p -> q)", False, "p", "(!p | q) U (p & !q)", None, None),
    ("G(p -> q)", False, "!q", "(!p | q) U (p & !q)", None, None),
    ("F p", True, "p", "!p U p", None, None),
    ("F p", False, "!p", "!p U (!p & G !p)", None, "false"),
    ("p U q", True, "p", "(p & !q) U (p & !q & (p U q))", "(p & !q) U (p & !q & (p W q))", None),
    ("p U q", True, "q", "(p & !q) U q", None, None),
    ("p U q", False, "!p", "(p & !q) U (!p & !q)", None, None),
    ("p U q", False, "!q", "(p & !q) U (!q & (!p R !q))", None, "(p & !q) U (!q & (!p M !q))"),
    ("X p", True, "p", "X p", None, None),
    ("X p", False, "!p", "X !p", None, None),
    (
        "G(p -> F q)", True, "q",
        "(!p | F q) U (p & (!q U q) & G(!p | F q))", "F(p & (!q U q))", "false",
    ),
    ("G(p -> F q)", False, "p", "(!p | F q) U (p & G !q)", "F(p & G !q)", "false"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "positive", "literal", "neutral", "weak", "strong"), NOTE)
def test_traps_of_the_usual_rules(
    rule: str, positive: bool, literal: str, neutral: str, weak: str | None, strong: str | None
) -> None:
    formula = read(rule) if positive else ~read(rule)
    (occurrence,) = [item for item in literals(formula) if str(item) == literal]
    expected: dict[View, str] = {
        "neutral": neutral,
        "weak": weak or neutral,
        "strong": strong or neutral,
    }
    for view, text in expected.items():
        assert equivalent(trap(formula, occurrence, view), read(text)), view


def test_the_first_cause_of_the_slides() -> None:
    """Their prefix (!p & q); their labels of the two tests are exchanged, one drops the rest."""
    formula = read("G(p -> q)")
    first, second = literals(formula)
    for view in ("neutral", "weak"):
        assert equivalent(
            trap(formula, first, view, "ufc-first"), read("(!p & q) U (!p & !q & G(p -> q))")
        )
        assert equivalent(
            trap(formula, second, view, "ufc-first"), read("(!p & q) U (p & q & G(p -> q))")
        )


def check_automaton(formula: Formula, words: AllWords) -> Automaton:
    automaton = automaton_of(formula)
    accepted = words.accepted(table(automaton, words.letters), automaton.accepting)
    assert same(accepted, words.truth(formula)), to_text(formula)
    return automaton


def test_automata_accept_what_satisfies_the_formula() -> None:
    words = AllWords("pq", 6)
    for formula in formulas(examples(4000, quick=500)):
        check_automaton(formula, words)


def test_automata_of_three_atoms_accept_what_satisfies_the_formula() -> None:
    words = AllWords("pqs", 5)
    for formula in formulas(examples(1000, quick=100), depth=5, names="pqs"):
        check_automaton(formula, words)


def test_automata_are_minimal() -> None:
    letters = reference.letters("pq")
    sizes: Counter[int] = Counter()
    for formula in formulas(examples(2000, quick=300)):
        automaton = automaton_of(formula)
        steps = table(automaton, letters)
        assert reachable(steps) == set(range(len(automaton)))
        assert len(classes(steps, automaton)) == len(automaton), to_text(formula)
        sizes[len(automaton)] += 1
    assert len(sizes) >= 5


def reachable(steps: list[list[int]]) -> set[int]:
    found = {0}
    for _ in steps:
        found |= {target for state in found for target in steps[state]}
    return found


def classes(steps: list[list[int]], automaton: Automaton) -> set[object]:
    """States that no word tells apart, by repeated division; before a word nothing is accepted."""
    entered = {target for row in steps for target in row}
    kind: list[object] = [
        (state in automaton.accepting) if state in entered else None for state in range(len(steps))
    ]
    for _ in steps:
        rows = [(kind[state], *(kind[to] for to in row)) for state, row in enumerate(steps)]
        names: dict[object, int] = {}
        kind = [names.setdefault(row, len(names)) for row in rows]
    if 0 not in entered:  # the start must differ from all others by what follows
        follow = [tuple(kind[to] for to in row) for row in steps]
        assert follow[0] not in follow[1:]
    return set(kind)


def test_guards_divide_the_letters() -> None:
    letters = reference.letters("pqs")
    for formula in formulas(examples(1000), names="pqs"):
        automaton = automaton_of(formula)
        for state, edges in enumerate(automaton.edges):
            for letter in letters:
                agreeing = [
                    edge.target
                    for edge in edges
                    for cube in edge.cubes
                    if all((name in letter) == value for name, value in cube.items())
                ]
                assert agreeing == [automaton.step(state, letter)]


def test_what_automata_say_of_their_states() -> None:
    letters = reference.letters("pq")
    seen: Counter[str] = Counter()
    for formula in formulas(examples(1500)):
        automaton = automaton_of(formula)
        steps = table(automaton, letters)
        stutters = all(
            steps[target][index] == target for row in steps for index, target in enumerate(row)
        )
        assert automaton.is_stutter_closed == stutters
        assert automaton.is_empty == (not any(row.any() for row in ALL.truth(formula)))
        for sinks, wanted in (
            (automaton.accepting_sinks, True),
            (automaton.rejecting_sinks, False),
        ):
            expected = {
                state
                for state in range(len(automaton))
                if all((to in automaton.accepting) == wanted for to in closure(steps, state))
            }
            assert sinks == expected
            seen[f"sink {wanted}"] += bool(expected)
        seen[f"stutters {stutters}"] += 1
        word = automaton.shortest_word()
        assert (word is None) == automaton.is_empty
        if word is not None:
            assert holds(formula, word)
            shorter = ALL.truth(formula)[: len(word) - 1]
            assert not any(row.any() for row in shorter)
    assert min(seen.values()) >= examples(50), seen


def closure(steps: list[list[int]], start: int) -> set[int]:
    found = {start}
    for _ in steps:
        found |= {target for state in found for target in steps[state]}
    return found


def test_formulas_without_next_do_not_count_repetitions() -> None:
    for seed in range(examples(1000)):
        random = Random(seed)
        formula = random_formula(random, 4, "pqs", reference.NEXT)
        assert automaton_of(formula).is_stutter_closed, to_text(formula)


def test_equivalence_is_equal_truth() -> None:
    """Many pairs of small formulas are equivalent, whatever the order of their atoms."""
    seen: Counter[bool] = Counter()
    pairs = zip(
        formulas(examples(3000), depth=2),
        (random_formula(Random(-seed - 1), 2, "qp") for seed in range(examples(3000))),
        strict=True,
    )
    for one, two in pairs:
        expected = same(ALL.truth(one), ALL.truth(two))
        assert equivalent(one, two) == expected, (to_text(one), to_text(two))
        assert equivalent(automaton_of(one), two) == expected
        assert equivalent(automaton_of(one), automaton_of(two)) == expected
        seen[expected] += 1
    assert min(seen.values()) >= examples(50), seen


@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_scoped_patterns_hold_where_they_hold_on_each_segment(pattern: str, scope: str) -> None:
    names = [name for name in parameters_of(pattern, scope) if name != "k"]
    longest = 4 if len(names) < 4 else examples(4, quick=3)
    words = reference.words(names, longest)
    for k in (0, 1, 2) if "k" in parameters_of(pattern, scope) else (None,):
        automaton = automaton_of(formula_of(pattern, scope, k))
        truths = set()
        for word in words:
            parts = reference.segments(scope, word)
            expected = all(reference.pattern_holds(pattern, part, k or 0) for part in parts)
            assert automaton.accepts(word) == expected, word
            truths.add(expected)
        assert len(truths) == 2 or k == 2  # two runs take five letters to be exceeded


def formula_of(pattern: str, scope: str, k: int | None = None) -> Formula:
    taken = parameters_of(pattern, scope)
    s, q, r = (atom(name) if name in taken else None for name in "sqr")
    return pattern_formula(pattern, scope, p=P, s=s, q=q, r=r, k=k)


def test_more_runs_than_allowed_are_counted() -> None:
    for scope, k in product(SCOPES, (2, 3)):
        automaton = automaton_of(formula_of("bounded-existence", scope, k))
        for runs in range(1, 6):
            word = [frozenset("pq"), frozenset()]
            word += [frozenset("p"), frozenset()] * (runs - 1) + [frozenset("r")]
            assert automaton.accepts(word) == (runs <= k), (scope, k, runs)


DWYER = {  # as published, but for precedence after q: G !q | F(q & (!p W s)) lets a later q open
    ("absence", "global"): "G !p",
    ("absence", "before"): "F r -> (!p U r)",
    ("absence", "after"): "G(q -> G !p)",
    ("absence", "between"): "G((q & !r & F r) -> (!p U r))",
    ("absence", "after-until"): "G(q & !r -> (!p W r))",
    ("existence", "global"): "F p",
    ("existence", "before"): "!r W (p & !r)",
    ("existence", "after"): "G !q | F(q & F p)",
    ("existence", "between"): "G(q & !r -> (!r W (p & !r)))",
    ("existence", "after-until"): "G(q & !r -> (!r U (p & !r)))",
    ("bounded-existence", "global"): "!p W (p W (!p W (p W G !p)))",
    ("bounded-existence", "before"):
        "F r -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U "
        "(r | (!p U r)))))))))",
    ("bounded-existence", "after"): "F q -> (!q U (q & (!p W (p W (!p W (p W G !p))))))",
    ("bounded-existence", "between"):
        "G((q & F r) -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U "
        "(r | (!p U r))))))))))",
    ("bounded-existence", "after-until"):
        "G(q -> ((!p & !r) U (r | ((p & !r) U (r | ((!p & !r) U (r | ((p & !r) U "
        "(r | (!p W r) | G p)))))))))",
    ("universality", "global"): "G p",
    ("universality", "before"): "F r -> (p U r)",
    ("universality", "after"): "G(q -> G p)",
    ("universality", "between"): "G((q & !r & F r) -> (p U r))",
    ("universality", "after-until"): "G(q & !r -> (p W r))",
    ("precedence", "global"): "!p W s",
    ("precedence", "before"): "F r -> (!p U (s | r))",
    ("precedence", "after"): "!q W (q & (!p W s))",
    ("precedence", "between"): "G((q & !r & F r) -> (!p U (s | r)))",
    ("precedence", "after-until"): "G(q & !r -> (!p W (s | r)))",
    ("response", "global"): "G(p -> F s)",
    ("response", "before"): "F r -> (p -> (!r U (s & !r))) U r",
    ("response", "after"): "G(q -> G(p -> F s))",
    ("response", "between"): "G((q & !r & F r) -> (p -> (!r U (s & !r))) U r)",
    ("response", "after-until"): "G(q & !r -> ((p -> (!r U (s & !r))) W r))",
}  # fmt: skip


@pytest.mark.parametrize(("pattern", "scope"), DWYER)
def test_the_published_formulas_say_the_same(pattern: str, scope: str) -> None:
    assert equivalent(formula_of(pattern, scope), read(DWYER[pattern, scope]))


def test_precedence_after_q_as_published_lets_a_later_q_open_the_scope() -> None:
    published = read("G !q | F(q & (!p W s))")
    ours = formula_of("precedence", "after")
    assert not equivalent(published, ours)
    assert automaton_of(ours & ~published).is_empty


def test_another_program_makes_the_same_automata() -> None:
    parser = pytest.importorskip("ltlf2dfa.parser.ltlf", reason="ltlf2dfa is not installed")
    if shutil.which("mona") is None:
        pytest.skip("mona is not installed")
    words = AllWords("pq", 4)
    for formula in formulas(examples(100, quick=10), depth=3):
        if not atoms_of(formula) or not TEMPORAL & {
            item.operator for item in distinct_parts(formula)
        }:
            continue
        text = spelled(reference.core(formula))
        theirs = mona_table(parser.LTLfParser()(text).to_dfa(), words.letters)
        assert same(words.accepted(*theirs), words.truth(formula)), text


def mona_table(
    dot: str, letters: list[reference.Letter]
) -> tuple[list[list[int]], frozenset[int]]:
    """The automaton in a DOT file of ltlf2dfa, whose states count from 1, the first one."""
    accepting = frozenset(
        int(number) - 1
        for line in re.findall(r"doublecircle\];([\d; ]*)", dot)
        for number in re.findall(r"\d+", line)
    )
    edges = re.findall(r'(\d+) -> (\d+) \[label="([^"]*)"\]', dot)
    size = max(int(number) for edge in edges for number in edge[:2])
    steps = [[-1] * len(letters) for _ in range(size)]
    for (source, target, guard), (index, letter) in product(edges, enumerate(letters)):
        if guard_holds(guard, letter):
            steps[int(source) - 1][index] = int(target) - 1
    return steps, accepting


def spelled(formula: Formula) -> str:
    """Core operators in parentheses: others may associate to the left."""
    parts = [spelled(part) for part in formula.parts]
    match formula.operator:
        case "atom":
            return formula.name
        case "true" | "false":
            return formula.operator
        case "not" | "next":
            return f"({'!' if formula.operator == 'not' else 'X'} {parts[0]})"
        case _:
            return f"({(' & ' if formula.operator == 'and' else ' U ').join(parts)})"


def guard_holds(guard: str, letter: reference.Letter) -> bool:
    """Guards are printed by SymPy, in Python's own operators."""
    values = {name: np.bool_(name in letter) for name in "pq"}
    return bool(eval(guard, {"true": np.bool_(True), "false": np.bool_(False), **values}))


def test_spelling_for_other_programs() -> None:
    text = "(! ((! p) U (X (q & true))))"
    assert spelled(reference.core(read("!(!p U X(q & true))"))) == text
    dot = """digraph MONA_DFA {
 node [shape = doublecircle]; 2; 3;
 node [shape = circle]; 1;
 init -> 1;
 1 -> 1 [label="~p"];
 1 -> 2 [label="p & ~q"];
 1 -> 3 [label="p & q"];
 2 -> 2 [label="true"];
 3 -> 2 [label="p ^ q"];
 3 -> 3 [label="~(p ^ q)"];
}"""
    steps, accepting = mona_table(dot, reference.letters("pq"))
    assert steps == [[0, 0, 1, 2], [1, 1, 1, 1], [2, 1, 1, 2]]
    assert accepting == {1, 2}


def test_pairs_of_random_formulas_differ_somewhere() -> None:
    """The random formulas are not all trivial, or the tests above would show little."""
    automata = {automaton_of(formula) for formula in formulas(examples(400))}
    assert len(automata) >= examples(100)
    assert any(one != two for one, two in combinations(sorted(automata, key=len), 2))
