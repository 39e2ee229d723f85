"""Timelines: relations, plans and traps beside a model agree with what brute force says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache, partial
from itertools import combinations
from random import Random

import pytest

from bugsieve.rooms.rules.file.binding import RuleInstance
from bugsieve.rooms.rules.file.source import Position
from bugsieve.rooms.rules.ltl.formula import Formula, atom, conjunction, finally_, globally, next_
from bugsieve.rooms.rules.ltl.traces import holds
from bugsieve.rooms.rules.obligations.judge import JudgeOptions, RuleJudge
from bugsieve.rooms.rules.obligations.obligation import obligations_of
from bugsieve.rooms.timelines.models.timeline_atoms import TimelineAtom
from tests.depth import examples

REASON = "the extra 'timeline' is not installed"
pytest.importorskip("lark", reason=REASON)
pytest.importorskip("ortools", reason=REASON)

from bugsieve.base.errors import UnsupportedError  # noqa: E402
from bugsieve.rooms.timelines.binding import TimelineRules  # noqa: E402
from bugsieve.rooms.timelines.deciding import NoPlan, PlanFound, decide  # noqa: E402
from bugsieve.rooms.timelines.emission import emit_nddl, slots_beside  # noqa: E402
from bugsieve.rooms.timelines.models.atoms import resolve  # noqa: E402
from bugsieve.rooms.timelines.models.loading import read_model  # noqa: E402
from bugsieve.rooms.timelines.models.model import Model  # noqa: E402
from bugsieve.rooms.timelines.nddl.relations import RELATIONS  # noqa: E402
from bugsieve.rooms.timelines.world import TimelineWorld, check_plan  # noqa: E402
from tests.property.timeline_models import (  # noqa: E402
    ATOMS,
    margin_of,
    random_boolean,
    random_model,
    random_trap,
)
from tests.reference.timelines import RELATED, Naive  # noqa: E402


def test_relations_are_those_of_intervals() -> None:
    assert set(RELATIONS) == set(RELATED)
    spans = list(combinations(range(5), 2))
    for name, inequalities in RELATIONS.items():
        for one in spans:
            for other in spans:
                bounds = dict(zip(("this.start", "this.end"), one, strict=True))
                bounds |= dict(zip(("that.start", "that.end"), other, strict=True))
                found = all(
                    {
                        "<=": bounds[i.left] <= bounds[i.right],
                        "<": bounds[i.left] < bounds[i.right],
                        "==": bounds[i.left] == bounds[i.right],
                    }[i.sign]
                    for i in inequalities
                )
                assert found == RELATED[name](*one, *other), (name, one, other)


def used_atoms(model: Model) -> tuple[str, ...]:
    return tuple(sorted(name for name in ATOMS if name != "r" or model.instances("B")))


def random_formula(random: Random, names: tuple[str, ...]) -> Formula:
    inner = random_boolean(random, names, 1)
    outer = random.choice([inner, finally_(inner), globally(inner), next_(inner)])
    traps = [random_trap(random, names), ~random_trap(random, names), atom(random.choice(names))]
    return outer & random.choice(traps)


def compare_with_naive(seed: int) -> str:
    """What was found: a plan or none, which must be what trying everything finds."""
    random = Random(seed)
    text = random_model(random, horizon=2, is_tiny=True)
    model = read_model([("random.nddl", text)])
    names = used_atoms(model)
    formula = random_formula(random, names)
    atoms = {name: ATOMS[name] for name in names}
    decision = decide(model, formula, atoms, slots=2)
    naive = Naive(model, (0, 2), margin_of(text))
    conditions = {name: resolve(name, value, model) for name, value in atoms.items()}

    @cache
    def satisfied(word: tuple[frozenset[str], ...]) -> bool:
        return holds(formula, word)

    expected = any(
        satisfied(tuple(map(frozenset, naive.letters(tokens, conditions))))
        and naive.is_plan(tokens)
        for tokens in naive.candidates()
    )
    assert isinstance(decision, PlanFound if expected else NoPlan), (seed, text, formula)
    assert isinstance(decision, PlanFound) or decision.is_complete or decision.is_logical
    return type(decision).__name__


def test_plans_are_found_iff_trying_everything_finds_them() -> None:
    found = Counter(compare_with_naive(seed) for seed in range(examples(100, quick=20)))
    assert min(found["PlanFound"], found["NoPlan"]) >= examples(15, quick=3)


def instance(name: str, formula: Formula) -> RuleInstance:
    place = Position("rules.toml", 1, 1)
    return RuleInstance(name, name, (), "desired", formula, formula, "ltl", "", place)


def words_of(
    model: Model, margin: int, atoms: Mapping[str, TimelineAtom]
) -> set[tuple[frozenset[str], ...]]:
    """The words of all plans."""
    naive = Naive(model, (0, 2), margin)
    conditions = {name: resolve(name, value, model) for name, value in atoms.items()}
    found: set[tuple[frozenset[str], ...]] = set()
    for tokens in naive.candidates():
        word = tuple(map(frozenset, naive.letters(tokens, conditions)))
        if word not in found and naive.is_plan(tokens):
            found.add(word)
    return found


def compare_verdicts(seed: int) -> Counter[str]:
    """The verdicts on two rules, which must be those of all words of plans."""
    random = Random(seed)
    text = random_model(random, horizon=2, is_tiny=True)
    model = read_model([("random.nddl", text)])
    names = used_atoms(model)
    atoms = {name: ATOMS[name] for name in names}
    rules = tuple(instance(f"R{n}", random_formula(random, names)) for n in range(2))
    bound = TimelineRules(rules, atoms)
    options = JudgeOptions(with_goal=bool(seed % 2))
    judge = RuleJudge(TimelineWorld(model, bound, 2), options, partial(check_plan, model, bound))
    words = words_of(model, margin_of(text), atoms)
    seen: Counter[str] = Counter()
    for item in obligations_of(rules):
        answer = judge.judge(item)
        seen[answer.verdict] += 1
        shown = {
            view: any(holds(formula, word) for word in words)
            for view, formula, _ in judge.formulas(item)
        }
        if item.aim == "violation":
            assert list(shown) == ["neutral" if options.with_goal else "strong"]
        if item.aim == "together":
            both = conjunction([rule.formula for rule in rules])
            agree = any(holds(both, word) for word in words)
            if answer.verdict == "inconclusive":  # what comes again and again, without an end
                assert not options.with_goal and not agree
                continue
            assert answer.verdict == ("covered" if agree else "conflict" if words else "vacuous")
        elif answer.verdict in ("failed", "covered"):
            strongest = next(view for view, is_shown in shown.items() if is_shown)
            assert answer.view == strongest, (seed, item)
        else:
            assert not any(shown.values()), (seed, item)
            assert answer.verdict != "passed" or words, (seed, item)
    assert not judge.rejected
    return seen


def test_verdicts_are_those_of_all_plans() -> None:
    found: Counter[str] = Counter()
    for seed in range(examples(60, quick=6)):
        found += compare_verdicts(seed)
    wanted = ("failed", "passed", "covered", "vacuous")
    assert min(found[verdict] for verdict in wanted) > 0, found


def compare_with_emitted(seed: int) -> str:
    """The answer, which must be the same with the automaton and with NDDL beside the model."""
    random = Random(seed)
    horizon = random.randint(3, 5)
    model = read_model([("random.nddl", random_model(random, horizon=horizon, is_tiny=False))])
    names = used_atoms(model)
    atoms = {name: ATOMS[name] for name in names}
    trap = random_trap(random, names)
    decision = decide(model, trap, atoms, slots=horizon)
    try:
        text = emit_nddl(model, trap, atoms)
    except UnsupportedError:  # its right side contradicts itself
        assert isinstance(decision, NoPlan)
        return "impossible"
    both = read_model([*model.texts, ("trap.nddl", text)])
    beside = decide(both, slots=slots_beside(model, trap, atoms, slots=horizon))
    assert type(beside) is type(decision), (seed, model.texts[0][1], text)
    return type(decision).__name__


def test_traps_beside_a_model_have_the_same_answers() -> None:
    found = Counter(compare_with_emitted(seed) for seed in range(examples(200, quick=20)))
    assert min(found["PlanFound"], found["NoPlan"]) >= examples(15, quick=3)
