"""Policies against flight rules on random tasks: verdicts equal the exhaustive truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from random import Random
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import InputError
from bugsieve.checkers.cost import CertificateError
from bugsieve.explanation.blame.blame import EXACT, NO_SINGLE_DECISION, blame
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import certificate_of
from bugsieve.pipeline.bugs.checking import checker_of
from bugsieve.pipeline.bugs.verdict import Verdict
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.oracles.registry import make_oracle
from bugsieve.policies.runs import runs_of
from bugsieve.rooms.rules.ltl.formula import Formula
from bugsieve.rooms.rules.ltl.normal_form import nnf
from bugsieve.rooms.rules.monitoring.objective import VIOLATED, Rules
from bugsieve.rooms.rules.monitoring.rule_set import GroundRule, read_rule_set, rule_set_of
from bugsieve.tasks.grounded.task import StateArray, Task
from bugsieve.tasks.search import exact_goal_distances
from tests.depth import examples
from tests.property.rules_cases import RuleShape, random_rule
from tests.property.strategies import LONG, SMALL, seeded_task
from tests.reference.monitored import can_keep, holds_strongly, is_broken, word_of
from tests.reference.rules import satisfies
from tests.reference.sas import SasTask, State
from tests.reference.successors import successor
from tests.unit.bugs.samples import ErraticPolicy
from tests.unit.policies.line import as_task

SEEDS = examples(400, quick=60)
MOST_STATES = 400
"""Of a task: twins look at all of them, with all states of automata."""


@dataclass(frozen=True, eq=False)
class RuledCase:
    """A policy under rules, with what the rules mean."""

    sas: SasTask
    task: Task
    policy: ErraticPolicy
    requirements: list[Formula]
    atoms: list[dict[str, Any]]
    spec: str
    states: StateArray

    def bench(self, *, step_limit: int = 1000) -> Bench:
        objective = make_objective(self.spec, self.task)
        return Bench(self.task, self.policy, objective, step_limit=step_limit)

    def verdict(self, bench: Bench, state: StateArray) -> Verdict:
        """What a complete search says."""
        return make_oracle("planner:astar-blind", bench).judge(bench.suspects(state))[0]

    @cached_property
    def bugs(self) -> list[tuple[StateArray, dict[str, Any]]]:
        """The states that are bugs, with their certificates."""
        bench = self.bench()
        verdicts = ((state, self.verdict(bench, state)) for state in self.states)
        return [(s, certificate_of(bench, s, found)) for s, found in verdicts if found.is_bug]

    def path(self, state: StateArray, operators: list[int]) -> list[State]:
        states = [tuple(state.tolist())]
        for operator in operators:
            states.append(successor(self.sas, states[-1], operator))
        return states

    def broken(
        self, state: StateArray, operators: list[int], ending: str, loop: int | None
    ) -> list[str]:
        """The rules that a run violates, by their definitions."""
        states = self.path(state, operators)
        return [
            f"R{number}"
            for number, (requirement, atoms) in enumerate(
                zip(self.requirements, self.atoms, strict=True)
            )
            if is_broken(requirement, word_of(atoms, states, operators), ending, loop)
        ]


@cache
def ruled_case(seed: int) -> RuledCase:
    """The case of a seed: one to three rules, each with atoms of its own."""
    random = Random(f"rules {seed}")
    sas = seeded_task(seed, LONG if seed % 3 else SMALL)
    if len(exact_goal_distances(as_task(sas))[0]) > MOST_STATES:
        sas = seeded_task(seed, SMALL)
    task = as_task(sas)
    rules, requirements, meanings = [], [], []
    names: dict[str, Any] = {}
    for number in range(random.choice((1, 1, 2, 3))):
        drawn = random_rule(random, sas, RuleShape(max_atoms=2, depth=random.choice((1, 2, 2, 3))))
        own = {f"r{number}-{name}": condition for name, condition in drawn.atoms.items()}
        formula = _renamed(drawn.formula, f"r{number}-")
        rule = GroundRule(
            f"R{number}", random.choice(("desired", "desired", "forbidden")), formula
        )
        rules.append(rule)
        requirements.append(rule.requirement)
        meanings.append(own)
        names |= own
    spec = f"rules:{rule_set_of(task, rules, names).text}"
    states = exact_goal_distances(task)[0]
    chosen = random.sample(range(len(states)), min(8, len(states)))
    policy = ErraticPolicy(task, seed, mischief=0.1)
    return RuledCase(sas, task, policy, requirements, meanings, spec, states[chosen])


def _renamed(formula: Formula, prefix: str) -> Formula:
    parts = tuple(_renamed(part, prefix) for part in formula.parts)
    name = f"{prefix}{formula.name}" if formula.operator == "atom" else ""
    return Formula(formula.operator, parts, name)


def test_verdicts_equal_the_exhaustive_truth() -> None:
    seen: Counter[str] = Counter()
    for seed in range(SEEDS):
        case = ruled_case(seed)
        bench = case.bench()
        runs = bench.runs(case.states)
        values = bench.values(runs)
        for row, (state, run) in enumerate(zip(case.states, runs_of(runs), strict=True)):
            ending = run.ending.label
            names = case.broken(state, list(run.actions), ending, run.loop_start)
            assert (values[row] == 0) == bool(names), (seed, row)
            seen["kept" if not names else f"broken: {ending}"] += 1
            if not names:
                continue
            verdict = case.verdict(bench, state)
            start = tuple(state.tolist())
            possible = can_keep(case.sas, case.requirements, case.atoms, start)
            assert verdict.is_bug == possible, (seed, row, verdict)
            seen["bug" if possible else "unavoidable"] += 1
    wanted = ("kept", "bug", "unavoidable", "broken: solved", "broken: loop", "broken: no action")
    assert min(seen[what] for what in wanted) >= examples(25, quick=4), seen


def test_certificates_are_accepted_and_say_which_rule_and_where() -> None:
    seen: Counter[str] = Counter()
    for seed in range(SEEDS):
        case = ruled_case(seed)
        checker = checker_of(case.task.to_sas())
        for state, certificate in case.bugs:
            checker.check(certificate)
            run, plan = certificate["run"], certificate["plan"]["operators"]
            seen[run["ending"]] += 1
            ends = run["operators"], run["ending"], run["loop_start"]
            assert run["rules"] == case.broken(state, *ends)
            assert case.broken(state, plan, "solved", None) == []
            if run["ending"] == VIOLATED and run["operators"]:
                assert case.broken(state, run["operators"][:-1], VIOLATED, None) == []
    assert min(seen[what] for what in ("solved", "loop", VIOLATED)) >= examples(5, quick=1), seen


def test_forged_certificates_are_accepted_only_if_they_are_true() -> None:
    seen: Counter[bool] = Counter()
    for seed in range(SEEDS):
        case, random = ruled_case(seed), Random(seed)
        checker = checker_of(case.task.to_sas())
        for state, certificate in case.bugs:
            for forged in forgeries(case, certificate, random):
                is_true = proves(case, state, forged)
                try:
                    checker.check(forged)
                except CertificateError:
                    assert not is_true, forged
                else:
                    assert is_true, forged
                seen[is_true] += 1
    assert seen[False] >= examples(600, quick=80), seen


def forgeries(
    case: RuledCase, certificate: dict[str, Any], random: Random
) -> Iterator[dict[str, Any]]:
    run, plan = certificate["run"], certificate["plan"]
    others = ["solved", "loop", VIOLATED, "no action", "policy crash", "condition met"]
    yield {**certificate, "run": {**run, "ending": random.choice(others)}}
    yield {**certificate, "run": {**run, "rules": run["rules"][:-1]}}
    yield {**certificate, "run": {**run, "rules": [*run["rules"], "R7"]}}
    yield {**certificate, "run": {k: v for k, v in run.items() if k != "rules"}}
    yield {**certificate, "kind": random.choice(["unsolved", "avoidable", VIOLATED])}
    yield {**certificate, "plan": {k: run[k] for k in plan}}
    yield {
        **certificate,
        "run": {**run, **_cut(case, run, random.randint(0, len(run["actions"])))},
    }
    yield {**certificate, "objective": ruled_case(random.randrange(SEEDS)).spec}
    yield {**certificate, "objective": _changed(certificate["objective"], random)}


def _cut(case: RuledCase, path: dict[str, Any], steps: int) -> dict[str, Any]:
    operators = path["operators"][:steps]
    cost = int(case.task.operator_costs[operators].sum()) if operators else 0
    return {"operators": operators, "actions": path["actions"][:steps], "cost": cost}


def _changed(objective: str, random: Random) -> str:
    words = [("desired", "forbidden"), ("(and ", "(or "), ("&", "|"), ("G", "F"), ("{", "[")]
    return objective.replace(*random.choice(words), 1)


def proves(case: RuledCase, state: StateArray, certificate: dict[str, Any]) -> bool:
    """Whether a certificate with operators that can be applied proves a violation."""
    try:
        rules = read_rule_set(certificate["objective"].removeprefix("rules:"), case.task)
    except InputError:
        return False
    run, plan = certificate["run"], certificate["plan"]
    states = case.path(state, run["operators"])
    if not _ends_as_told(case, states, run):
        return False
    words = [
        (rule.id, rule.requirement, word_of(rules.atoms, states, run["operators"]))
        for rule in rules.rules
    ]
    settled = [name for name, needed, word in words if holds_strongly(~needed, word)]
    before = [
        name
        for name, needed, word in words
        if len(word) > 1 and holds_strongly(~needed, word[:-1])
    ]
    if run["ending"] == VIOLATED:
        names = [] if before else settled
    elif settled or run["ending"] not in ("solved", "loop"):
        return False
    else:
        if (run["ending"] == "loop") != (run["loop_start"] is not None):
            return False
        names = [n for n, f, w in words if is_broken(f, w, run["ending"], run["loop_start"])]
    followed = case.path(state, plan["operators"])
    word = word_of(rules.atoms, followed, plan["operators"])
    return (
        bool(names)
        and names == run.get("rules", [])
        and certificate["kind"] == VIOLATED
        and bool(case.task.is_goal(np.array(followed[-1], dtype=np.uint16))[0])
        and all(satisfies(word, rule.requirement) for rule in rules.rules)
    )


def _ends_as_told(case: RuledCase, states: list[State], run: dict[str, Any]) -> bool:
    last = len(states) - 1
    goals = np.flatnonzero(case.task.is_goal(np.array(states, dtype=np.uint16))).tolist()
    first = [states.index(state) for state in states]
    if any(first[step] < step for step in range(last)):
        return False  # it was back before, and went on
    if run["ending"] == "loop":
        return not goals and first[last] == run["loop_start"] != last
    # Rules may ask for the action that leads back.
    if run["loop_start"] is not None or (first[last] < last and run["ending"] != VIOLATED):
        return False
    return goals in ([[last]] if run["ending"] == "solved" else [[], [last]])


def test_the_first_decision_after_which_no_run_keeps_the_rules_is_blamed() -> None:
    seen: Counter[str] = Counter()
    for seed in range(SEEDS):
        case = ruled_case(seed)
        bench = case.bench()
        objective = bench.objective
        for state, certificate in case.bugs:
            run = certificate["run"]
            states = np.array(case.path(state, run["operators"]), dtype=np.uint16)
            result = blame(bench, certificate)
            assert objective.plan_value(state, result.better_run) == 1
            possible = [
                _can_go_on(case, states, run["operators"], step) for step in range(len(states))
            ]
            if run["ending"] != "loop":
                possible[-1] = False
            assert possible == sorted(possible, reverse=True)
            seen[result.sure] += 1
            if possible[-1]:
                assert result.sure == NO_SINGLE_DECISION
                assert result.action != result.better
            else:
                assert (result.index, result.sure) == (possible.index(False) - 1, EXACT)
    assert min(seen[what] for what in (EXACT, NO_SINGLE_DECISION)) >= 2, seen


def _can_go_on(case: RuledCase, states: StateArray, operators: list[int], step: int) -> bool:
    """By search in the compiled task, which other tests compare with the truth."""
    from bugsieve.tasks.search import astar

    objective = make_objective(case.spec, case.task)
    alternatives = objective.alternatives()
    start = alternatives.resume(states[: step + 1], operators[:step])
    return start is not None and astar(alternatives.task, start, "blind").plan is not None


def test_results_do_not_depend_on_the_batch() -> None:
    for seed in range(examples(200, quick=20)):
        case = ruled_case(seed)
        bench = case.bench()
        together = bench.values(bench.runs(case.states))
        alone = [float(case.bench().values(case.bench().runs(state))[0]) for state in case.states]
        np.testing.assert_array_equal(together, alone)


def test_the_text_of_rules_is_kept_as_it_is() -> None:
    for seed in range(examples(100, quick=20)):
        case = ruled_case(seed)
        objective = make_objective(case.spec, case.task)
        assert isinstance(objective, Rules)
        assert objective.spec == case.spec
        again = rule_set_of(case.task, objective.rules.rules, objective.rules.atoms)
        assert again.rules == objective.rules.rules
        assert nnf(again.rules[0].formula) == nnf(objective.rules.rules[0].formula)
        assert read_rule_set(again.text, case.task) == again


@pytest.mark.parametrize("oracle", ["lookahead", "planner:gbfs", "perfect", "bounds:hmax"])
def test_oracles_never_contradict_the_truth(oracle: str) -> None:
    for seed in range(examples(100, quick=12)):
        case = ruled_case(seed)
        bench = case.bench()
        made = make_oracle(oracle, bench)
        for state, verdict in zip(
            case.states, made.judge(bench.suspects(case.states)), strict=True
        ):
            truth = case.verdict(bench, state)
            if verdict.is_bug:
                assert truth.is_bug
            elif truth.is_bug:
                assert verdict.outcome.value != "pass", (seed, state)
