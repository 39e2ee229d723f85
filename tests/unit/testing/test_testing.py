"""Every check can fail: members that break one rule each are caught, with a sentence."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bugsieve.base.errors import UsageError
from bugsieve.pictures.bars import BarsPicture
from bugsieve.pictures.scene import Scene
from bugsieve.pictures.shapes import Drawing
from bugsieve.pipeline.bench import Bench, Suspects
from bugsieve.pipeline.biases.bias import Bias, BiasResult, Offsets
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict, implied, inconclusive, passed
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.pipeline.oracles.perfect import PerfectOracle
from bugsieve.policies.built_in.random import RandomPolicy
from bugsieve.policies.policy import BoundPolicy, PolicySettings
from bugsieve.rooms.zoo.blocksworld.picture import BlocksPicture
from bugsieve.tasks.grounded.task import NO_ACTION, ActionArray, StateArray, Task
from bugsieve.testing import check_bias, check_oracle, check_picture, check_policy
from bugsieve.testing.tasks import random_task
from tests.other_package import install

GROUPS: dict[Any, str] = {
    check_oracle: "bugsieve.oracles",
    check_bias: "bugsieve.biases",
    check_picture: "bugsieve.pictures",
}
ONE = [random_task(1)]


class FewVerdicts(PerfectOracle):
    def judge(self, suspects: Suspects) -> list[Verdict]:
        return super().judge(suspects)[1:]


class Shuffled(PerfectOracle):
    """In the order of the values, not of the suspects."""

    def judge(self, suspects: Suspects) -> list[Verdict]:
        return sorted(super().judge(suspects), key=lambda verdict: verdict.outcome.value)


class Remembering(PerfectOracle):
    """Judges no two bugs in one batch."""

    def judge(self, suspects: Suspects) -> list[Verdict]:
        verdicts = super().judge(suspects)
        bugs = [row for row, verdict in enumerate(verdicts) if verdict.is_bug]
        return [inconclusive("tired") if row in bugs[1:] else v for row, v in enumerate(verdicts)]


class LimitShy(PerfectOracle):
    """Finds bugs within a small limit only."""

    def judge(self, suspects: Suspects) -> list[Verdict]:
        small = self.limits.expansions == 16
        return super().judge(suspects) if small else [inconclusive("no")] * len(suspects)


class Lenient(Oracle):
    def judge(self, suspects: Suspects) -> list[Verdict]:
        return [passed("all is well")] * len(suspects)


class Suspicious(Oracle):
    def judge(self, suspects: Suspects) -> list[Verdict]:
        return [implied("never trust a policy", gap=1)] * len(suspects)


class Unproven(PerfectOracle):
    def judge(self, suspects: Suspects) -> list[Verdict]:
        return [replace(v, plan=()) if v.is_bug else v for v in super().judge(suspects)]


class Absurd(PerfectOracle):
    def judge(self, suspects: Suspects) -> list[Verdict]:
        return [replace(v, plan=(10**6,)) if v.is_bug else v for v in super().judge(suspects)]


class Boasting(PerfectOracle):
    def judge(self, suspects: Suspects) -> list[Verdict]:
        return [replace(v, gap=10**9) if v.gap else v for v in super().judge(suspects)]


class Certain(PerfectOracle):
    """Calls plans optimal that are not."""

    def judge(self, suspects: Suspects) -> list[Verdict]:
        verdicts = super().judge(suspects)
        return [replace(v, value=-1.0) if v.outcome is Outcome.BUG else v for v in verdicts]


class Picky(Oracle):
    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        return "not today"

    def judge(self, suspects: Suspects) -> list[Verdict]:
        raise AssertionError


class Mumbling(Picky):
    @classmethod
    def objection(cls, bench: Bench) -> Any:
        return False


class Weighing(Bias):
    """Right, for the others to be wrong in one way each."""

    usage = "own"

    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        return BiasResult(successors.sum(axis=1).astype(np.int64))


class Narrow(Weighing):
    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        return BiasResult(super().weights(successors, offsets).weights.astype(np.int32))


class Missing(Weighing):
    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        return BiasResult(super().weights(successors, offsets).weights[1:])


class Negative(Weighing):
    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        return BiasResult(-super().weights(successors, offsets).weights)


class Relative(Weighing):
    """Compares walks with each other."""

    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        weights = super().weights(successors, offsets).weights
        return BiasResult(weights - weights.min(initial=0) + len(offsets))


class Bored(Weighing):
    """Less and less interested."""

    calls = 0

    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        self.calls += 1
        return BiasResult(super().weights(successors, offsets).weights + self.calls)


class Flagging(Weighing):
    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        return BiasResult(super().weights(successors, offsets).weights, successors[:, 0] > 100)


class Misflagging(Weighing):
    def weights(self, successors: StateArray, offsets: Offsets) -> BiasResult:
        return BiasResult(super().weights(successors, offsets).weights, np.zeros(1, dtype=bool))


class Plain(Weighing):
    def weights(self, successors: StateArray, offsets: Offsets) -> Any:
        return super().weights(successors, offsets).weights


class Reluctant(Weighing):
    @classmethod
    def objection(cls, bench: Bench) -> str | None:
        return "too small"


class First(BoundPolicy):
    """Right, for the others to be wrong in one way each."""

    @classmethod
    def from_spec(cls, task: Task, argument: str | None, settings: PolicySettings) -> First:
        return cls(task, "own")

    def choose(self, states: StateArray) -> ActionArray:
        return RandomPolicy(self.task).choose(states)


class Wide(First):
    def choose(self, states: StateArray) -> Any:
        return super().choose(states).astype(np.int64)


class Short(First):
    def choose(self, states: StateArray) -> ActionArray:
        return super().choose(states)[:-1]


class Illegal(First):
    def choose(self, states: StateArray) -> ActionArray:
        return np.zeros(len(states), dtype=np.int32)


class Invented(First):
    def choose(self, states: StateArray) -> ActionArray:
        return np.full(len(states), 10**6, dtype=np.int32)


class Batched(First):
    """Lazy in small batches."""

    def choose(self, states: StateArray) -> ActionArray:
        whole = super().choose(states)
        return whole if len(states) > 1 else np.full(1, NO_ACTION, dtype=np.int32)


class Fickle(First):
    asked = 0

    def choose(self, states: StateArray) -> ActionArray:
        self.asked += 1
        return RandomPolicy(self.task, seed=self.asked).choose(states)


class Selective(First):
    @classmethod
    def objection(cls, task: Task) -> str | None:
        return "it is for other tasks"


class Scribble(BarsPicture):
    def draw(self, scene: Scene) -> Any:
        return "a picture"


class Blank(BarsPicture):
    def draw(self, scene: Scene) -> Drawing:
        return Drawing(1, 1 / (2 - scene.index), ())


class Growing(BarsPicture):
    """Gets larger with each drawing."""

    size = 0

    def draw(self, scene: Scene) -> Drawing:
        self.size += 1
        return Drawing(self.size, 1, ())


class Proud(BarsPicture):
    @classmethod
    def objection(cls, subject: object) -> str | None:
        return ""


BROKEN: list[tuple[Any, type, str]] = [
    (check_oracle, FewVerdicts, "one Verdict per suspect"),
    (check_oracle, Shuffled, "depends on the batch"),
    (check_oracle, Remembering, "depends on the batch"),
    (check_oracle, LimitShy, "loses a bug"),
    (check_oracle, Lenient, "passed, but a run of value"),
    (check_oracle, Suspicious, "nothing is better than"),
    (check_oracle, Unproven, "proves no bug"),
    (check_oracle, Absurd, "proves no bug"),
    (check_oracle, Boasting, "too large"),
    (check_oracle, Certain, "is called optimal"),
    (check_oracle, Picky, "objects to every bench, so nothing was checked: .*not today"),
    (check_oracle, Mumbling, "None or a sentence, not False"),
    (check_bias, Narrow, "int64"),
    (check_bias, Missing, "as many weights"),
    (check_bias, Negative, "not be negative"),
    (check_bias, Relative, "depends on the batch: other when asked"),
    (check_bias, Bored, "other when asked again"),
    (check_bias, Misflagging, "`insert` must be"),
    (check_bias, Plain, "must give a BiasResult"),
    (check_bias, Reluctant, "objects to every bench, so nothing was checked: too small"),
    (check_picture, Scribble, "must give a Drawing, not str"),
    (check_picture, Blank, "in state 2 of a run it raised ZeroDivisionError"),
    (check_picture, Growing, "not the same when asked again, backwards"),
    (check_picture, Proud, "an objection must be None or a sentence, not ''"),
    (check_picture, BlocksPicture, "objects to everything, so nothing was checked"),
    (check_policy, Wide, "array of int32"),
    (check_policy, Short, "as many actions"),
    (check_policy, Illegal, "not applicable"),
    (check_policy, Invented, "not applicable"),
    (check_policy, Batched, "otherwise when asked in batches of 1"),
    (check_policy, Fickle, "otherwise when asked in batches"),
    (check_policy, Selective, "supports none of the tasks, .*it is for other tasks"),
]


def listed(folder: Path, monkeypatch: pytest.MonkeyPatch, check: Any, member: type) -> None:
    group = GROUPS.get(check, "bugsieve.policies")
    install(folder, monkeypatch, {group: {"own": f"{member.__module__}:{member.__name__}"}})


@pytest.mark.parametrize(
    ("check", "member", "sentence"), BROKEN, ids=[broken[1].__name__ for broken in BROKEN]
)
def test_broken_members_are_caught(
    check: Any, member: type, sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed(tmp_path, monkeypatch, check, member)
    with pytest.raises(AssertionError, match=sentence):
        check("own")


@pytest.mark.parametrize(
    ("check", "member"),
    [(check_oracle, PerfectOracle), (check_bias, Flagging), (check_policy, First)],
)
def test_right_members_pass(
    check: Any, member: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = member.__module__
    group = GROUPS.get(check, "bugsieve.policies")
    install(tmp_path, monkeypatch, {group: {"own": f"{module}:{member.__name__}"}})
    check("own", tasks=ONE)


def test_policies_that_fail_have_no_answer(tmp_path: Path) -> None:
    (tmp_path / "raising.py").write_text("def choose(facts, applicable): return 3\n")
    with pytest.raises(AssertionError, match="it gives no answer: .*policy crash"):
        check_policy(f"python:{tmp_path}/raising.py:choose", tasks=ONE)


@pytest.mark.parametrize("check", [check_oracle, check_bias, check_picture, check_policy])
def test_wrong_specs_are_no_broken_members(check: Any) -> None:
    with pytest.raises(UsageError, match="there is no"):
        check("no-such")


def test_no_framework_is_needed() -> None:
    code = (
        "import sys, bugsieve.testing;"
        "sys.exit(bool({'pytest', '_pytest', 'hypothesis'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
