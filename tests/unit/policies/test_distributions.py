"""Distributions of functions, programs, servers and networks; the likeliest action decides."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.options import CostOptions
from bugsieve.cli import main
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.objectives import make_objective
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.asking import weigh, weigh_anew
from bugsieve.policies.decisions import Ending, Failure
from bugsieve.policies.foreign.function import policy as lifted
from bugsieve.policies.policy import Policy
from bugsieve.policies.registry import make_policy
from bugsieve.policies.runs import run_policy
from bugsieve.rooms.formats.servers.addresses import Address
from bugsieve.rooms.formats.servers.service import PolicyService
from tests.unit.campaigns.contents import contents
from tests.unit.policies.asnets.tasks import made, network, walked
from tests.unit.policies.generated import generated_task, write_task
from tests.unit.policies.line import at, line_task
from tests.unit.policies.servers.serving import Answers, serving

TASK = line_task(4)
RIGHT, LEFT = "(right p1)", "(left p1)"
ONE, TWO = TASK.operator_id(RIGHT), TASK.operator_id(LEFT)

MALFORMED: dict[str, tuple[Any, Ending, str]] = {
    "negative": ({RIGHT: 1.5, LEFT: -0.5}, Ending.POLICY_CRASH, "answered the weight -0.5"),
    "not a number": ({RIGHT: math.nan}, Ending.POLICY_CRASH, "answered the weight nan"),
    "infinite": ({RIGHT: math.inf}, Ending.POLICY_CRASH, "answered the weight inf"),
    "too great": (
        {RIGHT: 1.7976931348623157e308, LEFT: 1e292},
        Ending.POLICY_CRASH,
        "answered weights whose sum is inf",
    ),
    "nothing": ({}, Ending.POLICY_CRASH, "answered weights whose sum is 0"),
    "zeros": ({RIGHT: 0, LEFT: 0.0}, Ending.POLICY_CRASH, "answered weights whose sum is 0"),
    "twice": ({RIGHT: 1, "(RIGHT  P1)": 1}, Ending.POLICY_CRASH, "two weights for one action"),
    "inapplicable": ({"(right p0)": 0.1, LEFT: 9}, Ending.ILLEGAL_ACTION, "is not applicable"),
    "unknown": ({"(jump)": 0.1, LEFT: 9}, Ending.ILLEGAL_ACTION, '"(jump)" is no action'),
    "text": ({RIGHT: "1"}, Ending.POLICY_CRASH, "no number|neither an action"),
}


def source(answer: Any) -> str:
    """A file with a function that answers so in p1."""
    text = repr(answer).replace("nan", "float('nan')").replace("inf", "float('inf')")
    return (
        "def choose(facts, applicable):\n"
        f"    return {text} if '(at p1)' in facts else applicable[0]\n"
    )


def policies(folder: Path, answer: Any) -> Iterator[Policy]:
    """A policy that answers so in p1, as a function, in a worker, and as a program."""
    scope: dict[str, Any] = {}
    exec(source(answer), scope)
    yield lifted(scope["choose"]).bind(TASK)
    (folder / "given.py").write_text(source(answer))
    with make_policy(f"python:{folder}/given.py:choose", TASK) as policy:
        yield policy
    program = (
        "import json, sys\nfrom given import choose\n"
        "print(sys.stdin.readline() and json.dumps({'ready': True}), flush=True)\n"
        "for line in sys.stdin:\n"
        "    batch = json.loads(line)\n"
        "    said = [choose(s['facts'], s['applicable']) for s in batch['states']]\n"
        "    print(json.dumps({'id': batch['id'], 'actions': said}), flush=True)\n"
    )
    (folder / "program.py").write_text(program)
    with make_policy(f"cmd:{sys.executable} {folder}/program.py", TASK) as policy:
        yield policy


def test_weights_count_by_probability_and_else_the_likeliest_action_does(tmp_path: Path) -> None:
    for policy in policies(tmp_path, {RIGHT: 1, LEFT: 3, "(jump)": 0}):
        rows = weigh(policy, at(1, 0))
        assert rows.row(0) == ((ONE, 1.0), (TWO, 3.0))
        assert rows.row(1) == ((TASK.operator_id("(right p0)"), 1.0),)
        again = weigh_anew(policy, at(1))
        assert again.row(0) == rows.row(0)
        assert policy.choose(at(1)).tolist() == [TWO]
        (run,) = run_policy(TASK, policy, at(1))
        assert (run.ending, run.actions[0]) == (Ending.LOOP, TWO)
        bench = Bench(TASK, policy, make_objective("probability", TASK))
        values = bench.suspects(at(1)).values
        assert values.tolist() == [1.0]  # it comes back from p0 again and again


@pytest.mark.parametrize("name", MALFORMED)
def test_what_is_no_distribution_ends_the_run(tmp_path: Path, name: str) -> None:
    answer, ending, detail = MALFORMED[name]
    for policy in policies(tmp_path, answer):
        for objective in ("quantitative", "probability"):
            bench = Bench(TASK, policy, make_objective(objective, TASK))
            runs = bench.runs(at(1))
            failure = runs.failure(0)
            assert failure is not None and runs.endings.tolist() == [ending]
            assert any(part in failure.detail for part in detail.split("|"))
            assert bench.values(runs).tolist() == [math.inf if objective[0] == "q" else 0.0]


def test_functions_may_answer_numbers_of_numpy_but_no_other_names(tmp_path: Path) -> None:
    given = lifted(lambda facts, able: dict.fromkeys(able, np.float32(0.5))).bind(TASK)
    assert weigh(given, at(1)).row(0) == ((ONE, 0.5), (TWO, 0.5))
    named: dict[Any, float] = {1: 0.5}
    wrong = lifted(lambda facts, able: named).bind(TASK)
    failure = weigh(wrong, at(1)).row(0)
    assert isinstance(failure, Failure) and failure.detail == (
        "returned weights in which 1 is no action name"
    )


def test_servers_give_and_are_given_probabilities() -> None:
    def chances(state: list[int]) -> list[tuple[int, float]]:
        if state[0] == 1:
            return [(TWO, 0.75), (ONE, 0.25), (0, 0.0)]
        return [] if state[0] == 0 else [(state[0], 1.0)]

    objective = make_objective("probability", TASK)
    with (
        serving(Answers(TASK.to_sas, lambda state: ONE, chances)) as address,
        make_policy(f"phrm:{address},probabilities", TASK) as policy,
        make_policy(f"phrm:{address}", TASK) as deciding,
    ):
        assert weigh(policy, at(1)).row(0) == ((ONE, 0.25), (TWO, 0.75))
        assert weigh_anew(policy, at(1)).row(0) == ((ONE, 0.25), (TWO, 0.75))
        assert Bench(TASK, policy, objective).suspects(at(1)).values.tolist() == [0.25]
        assert weigh(deciding, at(1)).row(0) == ((ONE, 1.0),)
        with (
            PolicyService(TASK, policy, Address.parse("localhost:0", listening=True)) as service,
            make_policy(f"phrm:{service.address.text},probabilities", TASK) as relayed,
        ):
            assert weigh(relayed, at(1)).row(0) == ((ONE, 0.25), (TWO, 0.75))


def test_networks_give_the_softmax_of_their_scores() -> None:
    task = made("blocksworld")
    policy = network(task)
    states = walked(task, 20)
    rows = weigh(policy, states)
    for number, state in enumerate(states):
        weights = rows.row(number)
        assert isinstance(weights, tuple)
        able = task.applicable(state).operators.tolist()
        known = [op for op in able if op in policy.grounding.operators]
        assert [operator for operator, _ in weights] == sorted(known)
        (logits,) = policy.logits(state[None]).tolist()
        scores = dict(zip(policy.grounding.operators.tolist(), logits, strict=True))
        total = sum(math.exp(scores[op]) for op in known)
        mass = sum(weight for _, weight in weights)
        for operator, weight in weights:
            assert weight / mass == pytest.approx(math.exp(scores[operator]) / total)
    single = [weigh(policy, state[None]).row(0) for state in states]
    assert single == [rows.row(number) for number in range(len(states))]


HASTY = """
def choose(facts, applicable):
    useful = [name for name in applicable if not name.startswith("(walk")]
    if not useful:
        return applicable[0] if applicable else None
    walks = [name for name in applicable if name not in useful]
    return {**{name: 3 / len(useful) for name in useful}, **{name: 1 for name in walks}}
"""


def test_commands_say_what_they_show(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hasty.py").write_text(HASTY)
    files = write_task(tmp_path, "spanner", seed=0)
    policy = ("--policy", "python:hasty.py:choose")
    assert main(["rollout", *files, *policy]) == 0
    assert "this is what its likeliest actions do" in capsys.readouterr().out
    assert main(["rollout", *files, *policy, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["likeliest"] is True
    chances = (*policy, "--objective", "probability", "--pool-size", "3", "-o", "found")
    assert main(["test", *files, *chances]) == 1
    _, second, *_ = capsys.readouterr().out.splitlines()
    assert second == (
        "3 of 59 reachable states tested; the policy does not reach the goal for certain from the "
        "initial state: reaches the goal with probability at most 0.7031, a plan of cost 9 for "
        "certain"
    )
    with CostRecords(tmp_path / "found") as records:
        name = records.ranked()[0]
    assert main(["explain", "found", name]) == 0
    assert "one of its runs:" in capsys.readouterr().out
    assert main(["explain", "found", name, "--json"]) == 0
    assert 0 < json.loads(capsys.readouterr().out)["probability"] < 1
    assert main(["judge", *files, *policy, "--objective", "probability:3"]) == 5
    assert "(99% confidence)" in capsys.readouterr().out
    few = (*policy, "--objective", "probability:3", "--pool-size", "1", "-o", "few")
    assert main(["test", *files, *few]) == 5
    told = capsys.readouterr().out.splitlines()
    assert "it is open how likely the policy reaches the goal from the initial state" in told


def test_a_campaign_with_workers_finds_the_same(tmp_path: Path) -> None:
    (tmp_path / "hasty.py").write_text(HASTY)
    task = generated_task(tmp_path, "spanner", seed=0)
    found = []
    for workers in (1, 2):
        options = CostOptions(
            task=(),
            policy=f"python:{tmp_path}/hasty.py:choose",
            objective="probability",
            fuzz=FuzzOptions(pool_size=10, seed=1),
            workers=workers,
        )
        folder = tmp_path / str(workers)
        summary = Campaign.create(folder, options, task).run()
        assert summary.bugs_by_kind.keys() == {"uncertain"} and not summary.rejected
        found.append(contents(folder))
    assert found[0] == found[1]
    with CostRecords(tmp_path / "1") as records:
        values = {Fraction(str(row.bug.certificate["policy_value"])) for row in records.bugs()}
    assert values and all(0 < value < 1 for value in values)
