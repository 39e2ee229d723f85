"""What a campaign of cost testing needs to run: a task, a policy, an objective, oracles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.registry.spec_folder import typed_in
from bugsieve.base.trust.trust import require_trusted
from bugsieve.campaigns.campaign import AnyPath, check_unchanged
from bugsieve.campaigns.cost.records import CostRecords
from bugsieve.campaigns.cost.start_states import start_states
from bugsieve.campaigns.cost.store import PoolPart
from bugsieve.campaigns.cost.taken_pool import TakenPool, take_pool
from bugsieve.campaigns.cost.usual_bias import seconds_per_answer, usual_bias
from bugsieve.campaigns.cost.whole import count_reachable, judges_of
from bugsieve.campaigns.kind import Beginning, kept_spec
from bugsieve.campaigns.options import CostOptions
from bugsieve.campaigns.store.progress import CampaignHeader, Progress
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.judging.escalation import SEARCH
from bugsieve.pipeline.judging.findings import OracleRow
from bugsieve.pipeline.judging.plan import BenchPlan, close_policy
from bugsieve.pipeline.objectives import objective_class
from bugsieve.pipeline.objectives.objective import FOR_PLANS_ALONE
from bugsieve.pipeline.oracles.oracle import Oracle
from bugsieve.pipeline.oracles.registry import check_oracle_spec
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.pipeline.pool.pool import Pool
from bugsieve.pipeline.pool.sample import Sample
from bugsieve.pipeline.pool.selection import selected_starts, selection
from bugsieve.policies.decisions import Recorded
from bugsieve.policies.fingerprints import earlier_spec, policy_fingerprint
from bugsieve.policies.foreign.function import PolicyFunction
from bugsieve.policies.policy import NoPolicy, Policy, policy_name
from bugsieve.policies.registry import POLICIES, brings_task, brought_task, check_spec
from bugsieve.tasks.grounded.loading import load_task, with_unit_costs
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.grounded.task import StateArray, Task, require_task

AnyPolicy = Policy | PolicyFunction


class CostEquipment:
    """The bench of a campaign with its oracles."""

    def __init__(
        self, saved: SavedTask, bench: Bench, oracles: Sequence[Oracle], *, owns_policy: bool
    ) -> None:
        self.saved = saved
        self.bench = bench
        self.oracles = oracles
        self.recorded: Recorded | None = None
        """The policy's decisions on the runs of a pool that was taken over."""
        self._owns_policy = owns_policy

    def close(self) -> None:
        """Let go of the oracles, and of the policy if it was made for the campaign."""
        for oracle in self.oracles:
            oracle.close()
        self.oracles = ()
        if self._owns_policy:
            close_policy(self.bench.policy)


def check(options: CostOptions) -> None:
    """What is wrong whatever the task is, before a large task is grounded."""
    check_spec(options.policy)
    for spec in options.oracles:
        check_oracle_spec(spec)


def begin(
    options: CostOptions,
    task: Task | None,
    policy: AnyPolicy | None,
    states: StateArray | None,
) -> Beginning:
    """A new campaign; where no task is named, the policy may bring one, as a server does."""
    _check_process(options, policy)
    for spec in options.oracles:
        check_oracle_spec(spec)
    if options.measures and states is not None:
        raise UsageError("tests of a measurement start from the initial state: give no states")
    if task is None and not options.task:
        task = _brought(options) if policy is None else getattr(policy, "task", None)
    saved, loaded = _loaded(options, task)
    wanted = options.fuzz.test_states
    condition = None if wanted is None else selection(loaded, wanted)
    plan = plan_of(options)
    bench = plan.bench(loaded, _bound(policy, loaded))
    equipment = CostEquipment(saved, bench, (), owns_policy=policy is None)
    try:
        reachable, whole = count_reachable(
            options, bench, condition, has_states=states is not None
        )
        oracles = judges_of(options, reachable)
        made = plan.examined(bench, oracles)
        equipment.oracles = [oracle for oracle in made if isinstance(oracle, Oracle)]
        if options.measures:
            _require_alone(equipment.oracles)
        name = policy_name(bench.policy)
        spec = kept_spec(POLICIES, options.policy, name) if policy is None else name
        fuzz = options.fuzz
        if fuzz.bias is None and whole is None and options.pool_from is None:
            fuzz = _with_usual_bias(fuzz, bench)
        kept = replace(options, objective=bench.objective.spec, fuzz=fuzz)
        header = CampaignHeader(
            replace(kept, policy=spec).to_toml(),
            saved,
            spec,
            policy is not None,
            (
                *(OracleRow(o.spec) if isinstance(o, Oracle) else o for o in made),
                *(_escalating(plan, oracles) if whole is None else ()),
            ),
            policy_fingerprint(bench.policy),
            objective=bench.objective.spec,
            reachable=reachable,
        )
        pool: Pool
        if whole is not None:
            pool, walks = whole, 0
        elif options.pool_from is not None:
            taken = _take_over(equipment, options)
            pool, walks = taken.pool, taken.walks
        elif options.measures:
            pool, walks = Sample(loaded), 0
        else:
            starts = start_states(loaded, options.from_states) if states is None else states
            if condition is not None:
                starts = selected_starts(condition, loaded.checked_states(starts))
            pool, walks = _pool_of(loaded, starts), 0
    except BaseException:
        equipment.close()
        raise
    cases = PoolPart(list(pool), pool.states())
    # Where oracles are compared, what one of them finds on disk counts as if it had made it.
    compares = options.pool_from is not None
    seconds = sum(o.prepared_seconds for o in equipment.oracles) if compares else 0.0
    progress = Progress(walks=walks, seconds=seconds)
    return Beginning(header, equipment, cases, progress, kept, bench.objective.warnings)


def _with_usual_bias(fuzz: FuzzOptions, bench: Bench) -> FuzzOptions:
    """Choose the bias by how long the policy takes to answer; the choice is stored."""
    return replace(fuzz, bias=usual_bias(seconds_per_answer(bench, bench.task.initial_state)))


def equip(
    header: CampaignHeader, options: CostOptions, folder: Path, policy: AnyPolicy | None
) -> CostEquipment:
    """The equipment of a stored campaign."""
    _check_process(options, policy)
    task = header.subject.load()
    plan = plan_of(options)
    bench = plan.bench(task, _bound(policy, task))
    equipment = CostEquipment(header.subject, bench, (), owns_policy=policy is None)
    try:
        check_unchanged(header, folder, bench.policy, command="test")
        equipment.oracles = plan.oracles(bench, header.used_oracles)
        if options.pool_from is not None:
            _check_whole(folder, _take_over(equipment, options, beside=folder))
    except BaseException:
        equipment.close()
        raise
    return equipment


def _take_over(
    equipment: CostEquipment, options: CostOptions, *, beside: Path | None = None
) -> TakenPool:
    """Take over the pool that the options name; the policy's runs are known from now on."""
    bench = equipment.bench
    fingerprint = policy_fingerprint(bench.policy)
    taken = take_pool(bench.task, options, fingerprint, beside=beside)
    bench.take_over(taken.recorded)
    equipment.recorded = taken.recorded
    return taken


def _check_whole(folder: Path, taken: TakenPool) -> None:
    """InputError if states are gone that no walk would find again, as after salvaging."""
    with CostRecords(folder) as records:
        if not np.array_equal(records.pool().states, taken.pool.states()):
            raise InputError(
                f"{folder}: has another pool than the campaign it took it from: make it anew"
            )


def _require_alone(oracles: Sequence[Oracle]) -> None:
    """UsageError if a verdict would depend on the tests before."""
    for oracle in oracles:
        if oracle.learns:
            raise UsageError(
                f"the oracle {oracle.spec!r} learns from tests, so that verdicts would depend on "
                f"their order: measure without it ({', '.join(FOR_PLANS_ALONE)} is the default)"
            )


def _pool_of(task: Task, states: StateArray) -> Pool:
    pool = Pool(task)
    for state in task.checked_states(states):
        pool.add(state)
    return pool


@contextmanager
def bench_of(
    directory: AnyPath, header: CampaignHeader, *, policy: str | None = None
) -> Iterator[Bench]:
    """The bench of a campaign, to look at its bugs; with another policy if one is named.

    The policy is what its spec meant when the campaign was made.
    """
    folder = Path(directory)
    options = stored_options(folder, header)
    if policy is not None:
        options = replace(options, policy=policy, policy_folder="")
        check_spec(policy)
    elif header.policy_is_object:
        raise UsageError(f"{folder}: tests the Python object {header.policy}: name a policy")
    else:
        with typed_in(options.policy_folder):
            require_trusted(POLICIES, options.policy, folder)
    plan, task = plan_of(options), header.subject.load()
    bench = plan.bench(task)
    earlier = None if policy else earlier_spec(bench.policy, header.policy_fingerprint)
    if earlier is not None:
        close_policy(bench.policy)
        bench = replace(plan, policy=earlier).bench(task)
    try:
        yield bench
    finally:
        close_policy(bench.policy)


def judged_bench(directory: AnyPath, header: CampaignHeader) -> Bench:
    """The bench of a campaign for what is known of its bugs: the policy is not started."""
    options = stored_options(Path(directory), header)
    return plan_of(options).bench(header.subject.load(), NoPolicy())


def stored_options(folder: Path, header: CampaignHeader) -> CostOptions:
    """The options of a campaign, with the objective as it was checked."""
    options = CostOptions.from_toml(header.options, name=str(folder / "options.toml"))
    return replace(options, objective=header.objective)


def plan_of(options: CostOptions) -> BenchPlan:
    """The part of the options that judging depends on."""
    return BenchPlan(
        options.policy,
        options.policy_seed,
        options.policy_limits,
        options.objective,
        options.step_limit,
        options.limits,
        options.levels,
        options.policy_folder,
        options.fuzz.seed,
    )


def _escalating(plan: BenchPlan, oracles: Sequence[str]) -> list[OracleRow]:
    """Who judges again what all oracles leave open, unless it is one of them."""
    return [OracleRow(SEARCH, level=1)] if plan.escalation and SEARCH not in oracles else []


def _check_process(options: CostOptions, policy: AnyPolicy | None) -> None:
    if policy is not None and options.workers > 1:
        raise UsageError("a policy that is a Python object can be tested with one worker only")


def _brought(options: CostOptions) -> Task | None:
    """The task that the policy of the options comes with, if it does."""
    if not brings_task(options.policy):
        return None
    with typed_in(options.policy_folder):
        return brought_task(options.policy, limits=options.policy_limits)


def _loaded(options: CostOptions, task: Task | None) -> tuple[SavedTask, Task]:
    if task is None and not options.task:
        raise UsageError("a campaign needs a task: a domain and a problem file, or one .sas file")
    constraints = objective_class(options.objective).takes_constraints
    if task is None:
        given = load_task(*options.task, constraints=constraints)
    else:
        given = require_task(task)
    loaded = with_unit_costs(given) if options.unit_cost else given
    return SavedTask.of(loaded), loaded


def _bound(policy: AnyPolicy | None, task: Task) -> Policy | None:
    return policy.bind(task) if isinstance(policy, PolicyFunction) else policy
