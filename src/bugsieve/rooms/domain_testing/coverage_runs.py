"""Coverage of a domain by plans of files, plans that our planner finds, or tests of rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bugsieve.base.errors import InputError, UsageError
from bugsieve.base.wording import counted
from bugsieve.rooms.domain_testing.coverage import DomainCoverage
from bugsieve.rooms.domain_testing.plan_files import ExecutedPlan, read_plan, replay
from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.rows import PDDL
from bugsieve.tasks.grounded.saved import SavedTask
from bugsieve.tasks.pddl.check import PddlTask, check_documents
from bugsieve.tasks.pddl.execution import Interpreter
from bugsieve.tasks.pddl.reader import Document, parse
from bugsieve.tasks.pddl.summary import without_constraints
from bugsieve.tasks.search import Limits, greedy


@dataclass(frozen=True)
class CoverageRun:
    """The coverage, the plans it comes from, and the problems that had none."""

    coverage: DomainCoverage
    plans: tuple[str, ...]
    without: tuple[str, ...]


def cover(
    domain: Path, problems: Sequence[Path], plans: Sequence[Path], files: Files, limits: Limits
) -> CoverageRun:
    """The coverage of the plans; where none is given, of the first plan found for each problem."""
    pddl = [files.pddl(domain, problem) for problem in problems]
    shared = pddl[0].domain  # one reading of the file, so that its literals are the same objects
    tasks = [PddlTask(shared, each.problem, each.given) for each in pddl]
    interpreters = dict(zip(problems, map(Interpreter, tasks), strict=True))
    coverage = DomainCoverage(shared)
    used, without = [], []
    for path in plans:
        problem, replayed = _home_of(path, interpreters)
        coverage.add_plan(interpreters[problem], replayed, str(path))
        used.append(f"{path} on {problem}")
    for problem in [] if plans else problems:
        found = _searched(files, domain, problem, limits)
        if found is None:
            without.append(str(problem))
            continue
        replayed = replay(interpreters[problem], found)
        coverage.add_plan(interpreters[problem], replayed, str(problem))
        used.append(f"a plan of {len(found)} actions for {problem}")
    return CoverageRun(coverage, tuple(used), tuple(without))


def cover_tests(folder: Path) -> CoverageRun:
    """The coverage of a rules campaign's traces in the domain that was tested there."""
    with RulesRecords(folder) as records:
        subject, rows = records.header.subject, records.tasks()
        if subject.language != PDDL:
            raise UsageError(f"{folder}: has plans on timelines; coverage is of domains in PDDL")
        homes = {row.number: row.task for row in records.obligations()}
        traces = [(row.number, row.answer.trace) for row in records.answers()]
    shared = Document("domain.pddl", subject.domain, parse(subject.domain, "domain.pddl"))
    interpreters = {}
    domain = None
    for row in rows:
        assert isinstance(row.task, SavedTask)
        data = row.task.problem or b""
        document = Document(row.file, data, parse(data, row.file))
        pddl = check_documents(shared, document, rewrite=without_constraints)
        domain = domain or pddl.domain
        interpreters[row.number] = Interpreter(PddlTask(domain, pddl.problem, pddl.given))
    assert domain is not None
    coverage = DomainCoverage(domain)
    used = []
    for number, trace in traces:
        if trace is not None:
            interpreter = interpreters[homes[number]]
            replayed = replay(interpreter, trace["trace"]["actions"], must_reach_goal=False)
            coverage.add_plan(interpreter, replayed, f"test {number}")
            used.append(number)
    found = (f"the traces of {counted(len(used), 'test')} of rules in {folder}",) if used else ()
    return CoverageRun(coverage, found, ())


def _home_of(path: Path, interpreters: dict[Path, Interpreter]) -> tuple[Path, ExecutedPlan]:
    """The problem in which the plan is executable: where it reaches the goal, if anywhere."""
    plan = read_plan(path)
    tried = {problem: replay(interpreter, plan) for problem, interpreter in interpreters.items()}
    for fits in (lambda r: r.fault is None, lambda r: r.is_executable):
        for problem, replayed in tried.items():
            if fits(replayed):
                return problem, replayed
    fault = next(iter(tried.values())).fault
    raise InputError(f"{path}: is executable in none of the problems: {fault}")


def _searched(files: Files, domain: Path, problem: Path, limits: Limits) -> tuple[str, ...] | None:
    world = files.world(domain, problem)
    if world.goal_holds is not None:
        return () if world.goal_holds else None
    found = greedy(world.task, world.task.initial_state, limits=limits)
    if found.plan is None:
        return None
    return tuple(world.task.operator_names[operator] for operator in found.plan)
