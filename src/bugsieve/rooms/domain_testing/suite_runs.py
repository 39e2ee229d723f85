"""Runs the cases of a suite and says why they fail, state by state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from bugsieve.base.errors import BudgetError, InputError, InternalError
from bugsieve.campaigns.checks import Check, CheckOutcome
from bugsieve.rooms.domain_testing.constraints import Constraints
from bugsieve.rooms.domain_testing.plan_files import ExecutedPlan, read_plan, replay
from bugsieve.rooms.domain_testing.rule_judging import (
    InstanceJudge,
    Reading,
    Requirement,
    RuleFinding,
    engine_judge,
)
from bugsieve.rooms.domain_testing.suites import RULE_EXPECTATIONS, Bounds, Case, Suite
from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.rooms.rules.checker.rules_pddl import (
    CertificateError,
    RefusedPddlError,
    validate_plan,
)
from bugsieve.rooms.rules.scale import NEVER, SAFETY, UNDECIDED, VIOLATED
from bugsieve.tasks.grounded.loading import with_unit_costs
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.pddl.check import PddlTask
from bugsieve.tasks.pddl.execution import Interpreter
from bugsieve.tasks.search import Limits, SearchResult, astar, greedy
from bugsieve.tasks.sources import MEBIBYTE, read_input

Outcome: TypeAlias = Literal["pass", "fail", "undecided"]

_MAX_RULES_BYTES = 4 * MEBIBYTE
SPENT = "the budget was spent"


@dataclass(frozen=True)
class CaseResult:
    """The result of a case."""

    case: Case
    outcome: Outcome
    verdicts: Mapping[str, str]
    """The verdicts, by their subjects; "undecided" where nothing was found out."""
    reason: str
    """One sentence."""
    details: tuple[str, ...] = ()
    """A plan replayed state by state, or what each rule came to."""

    def check(self, suite: str) -> Check:
        """The result for build servers; the suite is a file."""
        outcome = _OUTCOMES.get(self.outcome, "passed")
        return Check(self.case.label, suite, outcome, self.reason, self.details)


_OUTCOMES: dict[str, CheckOutcome] = {"fail": "failure", "undecided": "undecided"}


@dataclass(frozen=True)
class RunOptions:
    """The limits of running a suite, and the judge of rules."""

    expansions: int = 1_000_000
    judge: InstanceJudge = field(default_factory=engine_judge)
    certified: bool = True
    """True if verdicts on rules are proven to a checker."""

    @property
    def limits(self) -> Limits:
        """Of one search."""
        return Limits(expansions=self.expansions)


def run_suite(suite: Suite, files: Files, options: RunOptions) -> Iterator[CaseResult]:
    """One result per case, in order; InputError names the case whose files are wrong."""
    check_files(suite, files)
    for case in suite.cases:
        with naming(case, suite):
            result = run_case(case, files, options)
        yield result


def check_files(suite: Suite, files: Files) -> None:
    """InputError for a case whose domain and problem cannot be read."""
    for case in suite.cases:
        with naming(case, suite):
            files.pddl(case.domain, case.problem)


@contextmanager
def naming(case: Case, suite: Suite) -> Iterator[None]:
    """Errors of what is done for a case name the suite and the case."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{suite.path}: {case.title}: {error}") from None


def run_case(case: Case, files: Files, options: RunOptions) -> CaseResult:
    """Decide what the case expects."""
    if case.expect in RULE_EXPECTATIONS:
        return _run_rules(case, files, options)
    if case.plans:
        return _run_plans(case, files)
    return _run_search(case, files, options)


def _run_plans(case: Case, files: Files) -> CaseResult:
    interpreter = Interpreter(files.pddl(case.domain, case.problem))
    constraints = files.constraints(case.domain, case.problem)
    verdicts, details, wrong = {}, [], []
    for path in case.plans:
        plan = read_plan(path)
        replayed = replay(interpreter, plan)
        is_plan = replayed.fault is None
        _compare_opinions(files.pddl(case.domain, case.problem), path, plan, valid=is_plan)
        if is_plan and constraints is not None:
            replayed = replace(replayed, fault=constraints.broken_by(plan))
        valid = replayed.fault is None
        verdicts[path.name] = _plan_verdict(replayed, case.bounds)
        reason = replayed.fault or _outside(replayed.cost, len(replayed.steps), case.bounds)
        if (verdicts[path.name] == "valid") != (case.expect != "plan-invalid"):
            wrong.append(f"{path.name}: {reason or 'is a valid plan'}")
            details += [f"{path.name}:", *replayed.lines()]
            details += [f"      {reason}"] if valid and reason else []
    if wrong:
        return CaseResult(case, "fail", verdicts, "; ".join(wrong), tuple(details))
    kind = "invalid" if case.expect == "plan-invalid" else "valid"
    return CaseResult(case, "pass", verdicts, f"every plan given is {kind}")


def _compare_opinions(pddl: PddlTask, path: Path, plan: Sequence[str], *, valid: bool) -> None:
    """Ask a validator that shares no code with ours; who is right is not for us to choose."""
    documents = pddl.domain.document, pddl.problem.document
    domain, problem = (document.data.decode("latin-1") for document in documents)
    try:
        validate_plan(domain, problem, plan)
        theirs = True
    except RefusedPddlError:
        return
    except CertificateError:
        theirs = False
    if theirs is not valid:
        raise InternalError(f"{path}: our two validators disagree about this plan")


def _plan_verdict(replayed: ExecutedPlan, bounds: Bounds) -> str:
    if replayed.fault is not None:
        return "invalid"
    return "out of bounds" if _outside(replayed.cost, len(replayed.steps), bounds) else "valid"


def _outside(cost: int | None, length: int | None, bounds: Bounds) -> str | None:
    """The reason why a plan is not within bounds; None where nothing is known or bounded."""
    sides = (
        (cost, "costs", "", bounds.min_cost, bounds.max_cost),
        (length, "has", " actions", bounds.min_length, bounds.max_length),
    )
    for value, verb, unit, least, most in sides:
        if value is not None and least is not None and value < least:
            return f"it {verb} {value}{unit}, at least {least} was expected"
        if value is not None and most is not None and value > most:
            return f"it {verb} {value}{unit}, at most {most} was expected"
    return None


@dataclass(frozen=True)
class _Best:
    """The result of searches: plans, or that there is none; None where a budget was spent."""

    solvable: bool | None
    plan: tuple[str, ...] | None = None
    cost: int | None = None
    length: int | None = None
    complete: bool = True
    """True if all that was bounded is known."""


def _run_search(case: Case, files: Files, options: RunOptions) -> CaseResult:
    best = _best(case, files, options.limits)
    if best.solvable is None:
        return _undecided(case, {"goal": "undecided"}, f"{SPENT} before a plan was found")
    wanted = case.expect == "solvable"
    verdicts = {"goal": "solvable" if best.solvable else "unsolvable"}
    if best.solvable and not wanted:
        reason = "a plan was found where none was expected"
        return CaseResult(case, "fail", verdicts, reason, _replayed(case, files, best))
    if not best.solvable:
        proof = "no plan exists, which is proven"
        return CaseResult(case, "fail" if wanted else "pass", verdicts, proof)
    outside = _outside(best.cost, best.length, case.bounds)
    if case.bounds.on_cost or case.bounds.on_length:
        known = "within bounds" if best.complete else "undecided"
        verdicts["bounds"] = "out of bounds" if outside else known
    if outside:
        reason = f"the best plan is not as expected: {outside}"
        return CaseResult(case, "fail", verdicts, reason, _replayed(case, files, best))
    if not best.complete:
        return _undecided(case, verdicts, f"{SPENT} before a best plan was found")
    return CaseResult(case, "pass", verdicts, "a plan was found")


def _undecided(case: Case, verdicts: Mapping[str, str], reason: str) -> CaseResult:
    return CaseResult(case, "undecided", verdicts, reason)


def _best(case: Case, files: Files, limits: Limits) -> _Best:
    try:
        world = files.world(case.domain, case.problem)
    except BudgetError:
        return _Best(None)
    constraints = files.constraints(case.domain, case.problem)
    if world.goal_holds is not None and not (world.goal_holds and constraints):
        return _Best(world.goal_holds, plan=(), cost=0, length=0)
    task = world.task
    if not (case.bounds.on_cost or case.bounds.on_length):
        return _searched(task, constraints, greedy, limits)
    results: list[tuple[str, Task]] = []
    results += [("cost", task)] if case.bounds.on_cost else []
    results += [("length", with_unit_costs(task))] if case.bounds.on_length else []
    best, known = _Best(None), {}
    for name, variant in results:
        found = _searched(variant, constraints, astar, limits)
        best = found if best.solvable is None else best
        known[name] = found.cost
    if best.solvable:
        complete = None not in known.values()
        return _Best(True, best.plan, known.get("cost"), known.get("length"), complete)
    return best


def _searched(
    task: Task,
    constraints: Constraints | None,
    search: Callable[..., SearchResult],
    limits: Limits,
) -> _Best:
    """The result of the search among the plans that keep the constraints, if there are any."""
    if constraints is None:
        return _found(task, search(task, task.initial_state, limits=limits))
    ruled = constraints.within(task)
    start = ruled.start(task.initial_state)
    if start is None:
        return _Best(False)
    result = search(ruled.task, start, limits=limits)
    return _found(task, result, None if result.plan is None else ruled.plan(result.plan))


def _found(task: Task, result: SearchResult, plan: Sequence[int] | None = None) -> _Best:
    plan = result.plan if plan is None else plan
    if plan is not None:
        return _Best(True, tuple(task.operator_names[o] for o in plan), result.cost)
    return _Best(False if result.status == "unsolvable" else None)


def _replayed(case: Case, files: Files, best: _Best) -> tuple[str, ...]:
    """The plan that was found, as the PDDL has it; who disagrees with the search is a bug."""
    assert best.plan is not None
    replayed = replay(Interpreter(files.pddl(case.domain, case.problem)), best.plan)
    if replayed.fault is not None:
        raise InternalError(f"{case.problem}: the plan that was found is none: {replayed.fault}")
    return tuple(replayed.lines())


def _run_rules(case: Case, files: Files, options: RunOptions) -> CaseResult:
    findings = judged_rules(case, files, options)
    verdicts = {name: found.verdict for name, found in findings.items()}
    outcome, reason = _weighed_together(case.expect, findings)
    interpreter = Interpreter(files.pddl(case.domain, case.problem))
    details = [
        line for name, found in findings.items() for line in _told(interpreter, name, found)
    ]
    return CaseResult(case, outcome, verdicts, reason, () if outcome == "pass" else tuple(details))


def _told(interpreter: Interpreter, name: str, found: RuleFinding) -> Iterator[str]:
    """A rule with its verdict, and the trace that violates it state by state."""
    yield ": ".join(filter(None, (name, _verdict(found), found.reason)))
    if found.verdict != "violated":
        return
    replayed = replay(interpreter, found.actions, must_reach_goal=False)
    if replayed.fault is not None:
        raise InternalError(f"the trace against {name} is none: {replayed.fault}")
    lines = ["initially", *(step.line for step in replayed.steps)]
    for number, (line, letter) in enumerate(zip(lines, found.letters, strict=True)):
        yield f"{number:>4}. {line}  [{', '.join(letter) or 'no atom of the rule holds'}]"


def _verdict(found: RuleFinding) -> str:
    """The verdict with the rule; that a forbidden one is never kept is what was asked for."""
    if found.verdict == NEVER:
        return f"never: {found.rule} (confirmed)"
    return ": ".join(filter(None, (found.verdict, found.rule)))


def _weighed_together(expect: str, findings: Mapping[str, RuleFinding]) -> tuple[Outcome, str]:
    """Judge rules by the expectation of the rules file, all others by that of the case."""
    weighed = [
        _weighed(found.expect, [found]) for found in findings.values() if found.expect is not None
    ]
    others = [found for found in findings.values() if found.expect is None]
    if others or not weighed:
        weighed.append(_weighed(expect, others))
    for outcome in ("fail", "undecided"):
        reasons = [reason for found, reason in weighed if found == outcome]
        if reasons:
            return outcome, reasons[0]
    return weighed[-1]


def _weighed(expect: str, findings: Sequence[RuleFinding]) -> tuple[Outcome, str]:
    found = {finding.verdict for finding in findings}
    if not found:
        return "undecided", "no rule has an instance in this problem"
    if expect == "violated":
        if "violated" in found:
            return "pass", "a rule is violated, as expected"
    elif "violated" in found:
        return "fail", "a rule is violated"
    least = "holds" if expect in ("violated", "vacuous") else expect
    for item in findings:
        if item.standing(least) == "open":
            why = f": {item.reason}" if item.reason else ""
            return "undecided", f"a rule is not proven: {item.verdict}{why}"
    if expect == least:
        return "pass", _all_right(findings)
    if expect == "vacuous" and "vacuous" in found:
        return "pass", "a rule is vacuous, as expected"
    return "fail", f"no rule is {expect}"


def _all_right(findings: Sequence[RuleFinding]) -> str:
    """That every rule is as it should be; of a forbidden one it would be wrong to say "holds"."""
    if any(item.verdict == SAFETY for item in findings):
        return f"{SAFETY}, as expected"
    never = [item for item in findings if item.verdict == NEVER]
    if not never:
        return "every rule holds"
    if len(findings) == 1:
        return _verdict(never[0])
    more = f", and {len(never) - 1} more forbidden" if len(never) > 1 else ""
    return f"every rule is as it should be: {_verdict(never[0])}{more}"


def judged_rules(case: Case, files: Files, options: RunOptions) -> Mapping[str, RuleFinding]:
    """The finding on each rule instance."""
    reading = Reading(case.criterion, case.view, case.with_goal, options.limits, options.certified)
    text, name = _rules_of(case)
    try:
        task = files.world(case.domain, case.problem).task
        return options.judge(task, text, name=name, reading=reading)
    except BudgetError as error:
        return {"grounding": RuleFinding("undecided", reason=str(error))}


def _rules_of(case: Case) -> tuple[str | Requirement, str]:
    if case.rules is None:
        assert case.requirement is not None
        return Requirement(case.requirement, case.atoms), case.title
    data = read_input(case.rules, kind="rules", max_bytes=_MAX_RULES_BYTES)
    try:
        return data.decode("utf-8"), str(case.rules)
    except UnicodeDecodeError:
        raise InputError(f"{case.rules}: is no UTF-8 text") from None


def exit_code(results: Collection[CaseResult]) -> int:
    """0 all pass, 1 some failed, 5 nothing tested, 6 none failed but something is undecided."""
    outcomes = {result.outcome for result in results}
    if not outcomes:
        return 5
    if "fail" in outcomes:
        return 1
    return 6 if "undecided" in outcomes else 0


def differs(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The rules whose decisions differ; an undecided one on either side does not count."""
    return [
        name for name, verdict in before.items() if name in after and _differ(verdict, after[name])
    ]


def _differ(one: str, other: str) -> bool:
    """Return true if both are decided, and not the same; a safety part may be all that holds."""
    if UNDECIDED in (one, other):
        return False
    return one != other and (SAFETY not in (one, other) or VIOLATED in (one, other))
