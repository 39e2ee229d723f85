"""Bugs of a policy in one call, for scripts and notebooks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar, overload

from bugsieve.basis.arguments import require_folder, require_text, texts
from bugsieve.basis.errors import PolicyError, UsageError
from bugsieve.benches.bench import Bench
from bugsieve.benches.objectives import make_objective
from bugsieve.bugs.cost.bug import Bug
from bugsieve.bugs.safety.bug import SafetyBug
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.options import (
    DEFAULT_SAFETY_ORACLES,
    CampaignOptions,
    CostOptions,
    SafetyOptions,
)
from bugsieve.campaigns.stop_rules import StopRules
from bugsieve.campaigns.summary import Summary
from bugsieve.campaigns.wording import bugs_line
from bugsieve.faults.examples.decisions import Example, examples_of
from bugsieve.fuzzing.fuzzer import FuzzOptions
from bugsieve.fuzzing.unsafe_runs import SafetyFuzzOptions
from bugsieve.judging.findings import AnyBug, UnstableRow
from bugsieve.policies.asking import check_policy
from bugsieve.policies.function import PolicyFunction
from bugsieve.policies.models.lifted import as_model_policy
from bugsieve.policies.policy import NoPolicy, Policy, policy_name
from bugsieve.results.cost.records import CostRecords
from bugsieve.results.safety.records import SafetyRecords
from bugsieve.tasks.fdr.task import Task, require_task
from bugsieve.tasks.jani.model import JaniModel, require_model

AnyPath = str | os.PathLike[str]
BugT = TypeVar("BugT", bound=AnyBug)


class Bugs(Sequence[BugT]):
    """The bugs of a policy, and what was left open beside them.

    It counts and lists bugs. It is true, and equal to no list, while there are bugs or anything is
    undecided: nobody takes "nothing proven" for "nothing wrong".
    """

    def __init__(
        self, found: Iterable[BugT], summary: Summary, subject: object | None = None
    ) -> None:
        self._found = list(found)
        self.summary = summary
        self.subject = subject
        """The task or the model that they are about."""

    @property
    def undecided(self) -> int:
        """Cases in which the policy fails and nobody knows whether it had to."""
        return self.summary.undecided

    @property
    def unstable(self) -> tuple[UnstableRow, ...]:
        """What would be bugs, had the policy not changed its answers."""
        return self.summary.changed

    def to_examples(self) -> list[Example]:
        """From the culprit of each bug on, the states of a better plan, each with its action.

        For training; `bugsieve export --examples` writes the same. UsageError for safety bugs.
        """
        if not isinstance(self.subject, Task):
            raise UsageError("examples are made of the bugs of cost testing")
        bugs = [bug for bug in self._found if isinstance(bug, Bug)]
        if not bugs:
            return []
        objective = make_objective(bugs[0].certificate["objective"], self.subject)
        return list(examples_of(Bench(self.subject, NoPolicy(), objective), bugs))

    @overload
    def __getitem__(self, index: int) -> BugT: ...

    @overload
    def __getitem__(self, index: slice) -> list[BugT]: ...

    def __getitem__(self, index: int | slice) -> BugT | list[BugT]:
        return self._found[index]

    def __len__(self) -> int:
        return len(self._found)

    def __bool__(self) -> bool:
        return bool(self._found) or self.is_open

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Bugs):
            return (self._found, self.undecided, self.unstable) == (
                other._found,
                other.undecided,
                other.unstable,
            )
        return not self.is_open and self._found == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"<{bugs_line(self.summary)}>"

    @property
    def is_open(self) -> bool:
        """Whether something is undecided, or would be a bug of a policy that stands by it."""
        return bool(self.undecided or self.unstable)


def find_bugs(
    task: Task,
    policy: str | Policy | PolicyFunction,
    *,
    folder: AnyPath | None = None,
    objective: str = "quantitative",
    oracles: str | Sequence[str] = (),
    pool_size: int = 200,
    bias: str = "policy-quality",
    along_runs: bool = False,
    test_states: str | None = None,
    seed: int = 0,
    max_time: float | None = None,
    max_bugs: int | None = None,
) -> Bugs[Bug]:
    """Proven bugs of a policy, the worst first; the campaign is kept if there is a folder for it.

    PolicyError if the policy never gets ready, hangs or runs out of memory in all its runs.
    `bugsieve.Campaign` offers everything else: resuming, progress, workers.
    """
    require_task(task)
    given = policy.bind(task) if isinstance(policy, PolicyFunction) else policy
    own = None if isinstance(given, str) else given
    if own is not None:
        check_policy(own)
    options = CostOptions(
        task=(),
        policy=given if isinstance(given, str) else policy_name(given),
        policy_seed=seed,
        objective=objective,
        oracles=texts(oracles, "oracles"),
        fuzz=FuzzOptions(
            pool_size=pool_size,
            bias=bias,
            seed=seed,
            along_runs=along_runs,
            test_states=test_states,
        ),
        stop=StopRules(max_time=max_time, max_bugs=max_bugs),
    )

    def read(directory: Path) -> list[Bug]:
        with CostRecords(directory) as records:
            return [row.bug for row in records.named(records.ranked())]

    return _found(options, task, own, folder, read)


def find_safety_bugs(
    model: JaniModel,
    policy: object,
    *,
    folder: AnyPath | None = None,
    oracles: str | Sequence[str] = DEFAULT_SAFETY_ORACLES,
    walks: int = 1000,
    choice: str = "greedy",
    seed: int = 0,
    max_time: float | None = None,
    max_bugs: int | None = None,
) -> Bugs[SafetyBug]:
    """Proven safety bugs, faults in most runs first; the campaign is kept if it has a folder.

    The policy is a spec, a function `f(values, applicable)` of one state, or an object that maps
    arrays of states to arrays of actions. PolicyError if no walk could be made because it failed
    in all of them. `bugsieve.Campaign` offers everything else.
    """
    require_model(model)
    own = None if isinstance(policy, str) else as_model_policy(policy, model)
    require_text(choice, "choice")
    options = SafetyOptions(
        model=(),
        policy=str(policy) if own is None else own.spec,
        policy_seed=seed,
        oracles=texts(oracles, "oracles"),
        fuzz=SafetyFuzzOptions(
            walks=walks, choice=choice, lookahead=1 if choice == "uniform" else None, seed=seed
        ),
        stop=StopRules(max_time=max_time, max_bugs=max_bugs),
    )

    def read(directory: Path) -> list[SafetyBug]:
        with SafetyRecords(directory) as records:
            return [row.bug for row in records.named(records.ranked())]

    return _found(options, model, own, folder, read)


def _found(
    options: CampaignOptions,
    subject: object,
    policy: object | None,
    folder: AnyPath | None,
    read: Callable[[Path], list[BugT]],
) -> Bugs[BugT]:
    """What is read from a campaign with these options, run to its end."""
    kept = None if folder is None else require_folder(folder, "folder")
    with TemporaryDirectory() as temporary:
        directory = kept or Path(temporary, "campaign")
        with Campaign.create(directory, options, subject, policy=policy) as campaign:
            summary = campaign.run()
        if summary.unanswered is not None:
            raise PolicyError(f"policy {options.policy} could not be tested: {summary.unanswered}")
        return Bugs(read(directory), summary, subject)
