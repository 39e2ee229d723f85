"""Flight rules: CPU seconds of the rover example, and of generated tasks beside a peer.

`python -m benchmarks.rules [SEEDS] [every]`, as in 1-20; `make bench` calls `bench_rules`, and
`bench_every_instance` where that is asked for. The peer is what a user would pick who has
constraints of PDDL3 and a planner: TrajectoryConstraintsRemover of unified-planning and Fast
Downward (`trajectory_constraints`). To test a rule there, its violation is the constraint, there
is no goal, and "unsolvable" is the proof that the rule holds.

- PDDL3 has no X, no N and nothing about the action that led into a state. Only rules that it can
  express are compared; `only ours` says what else was proven, and how long that took.
- Only instances count in which something can change: that about a waypoint without soil, say,
  holds by grounding alone. Of each rule the first of them is taken, or every one.
- Each side may spend 60 seconds on an instance: ours by the clock, the peer's search by CPU time.
- CPU seconds of processes and their children, grounding and, for us, the checking of all
  certificates included; starting Python and importing packages is not, on either side.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

from benchmarks.peers import PeerMissingError
from benchmarks.table import Bar, Report, Row
from benchmarks.tasks import ROOT, BenchmarkTask, generated
from benchmarks.usage import cpu_seconds
from bugsieve.rooms.rules.campaign.equipment import make_judge
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.rule_subject import BoundTask
from bugsieve.rooms.rules.campaign.subject import load_rules
from bugsieve.rooms.rules.file.binding import RuleInstance
from bugsieve.rooms.rules.file.grounding import GroundAtom
from bugsieve.rooms.rules.ltl.formula import FALSE, TRUE, Formula, atoms_of, negation
from bugsieve.rooms.rules.ltl.normal_form import nnf
from bugsieve.rooms.rules.ltl.views import in_view
from bugsieve.rooms.rules.obligations.judge import RuleJudge
from bugsieve.rooms.rules.obligations.limits import DEFAULT_LIMITS
from bugsieve.rooms.rules.obligations.obligation import Obligation, obligations_of, required

EXAMPLE = ROOT / "examples" / "flight-rules"
RULES = EXAMPLE / "rovers.toml"
PROBLEMS = ("images", "samples")
SEEDS = range(1, 21)
SIZE = {
    "rovers": 4,
    "waypoints": 12,
    "objectives": 4,
    "cameras": 4,
    "soils": 4,
    "rocks": 4,
    "images": 4,
}
SECONDS = 60
UNSOLVABLE = "UNSOLVABLE_PROVEN"


@dataclass(frozen=True)
class Tally:
    """What one side did: rules proven, rules left open, and CPU seconds of all of it."""

    proofs: int = 0
    open: int = 0
    seconds: float = 0.0

    def __add__(self, other: Tally) -> Tally:
        return Tally(
            self.proofs + other.proofs, self.open + other.open, self.seconds + other.seconds
        )

    def __str__(self) -> str:
        cut = f", {self.open} open" if self.open else ""
        return f"{self.proofs} in {self.seconds:.1f} s{cut}"


def bench_rules(report: Report, *, repetitions: int) -> None:
    """The example, and generated tasks beside the peer."""
    bench_example(report, repetitions=repetitions)
    bench_peer(report, SEEDS, every=False)


def bench_every_instance(report: Report) -> None:
    """Generated tasks beside the peer, with all instances of the rules."""
    bench_peer(report, SEEDS, every=True)


def bench_example(report: Report, *, repetitions: int) -> None:
    """All obligations of the example's rules on its two problems."""
    report.section("flight rules, CPU seconds (no peer: what was judged)", figure="seconds")
    runs = [_example() for _ in range(repetitions)]
    best, judged = min(runs)
    bar = Bar(5.0, at_least=False)
    report.add(Row("rovers, 2 problems", f"{best:.2f}", f"{judged} obligations", best, bar))


def _example() -> tuple[float, int]:
    start = cpu_seconds()
    folder = EXAMPLE / "rovers"
    options = _options(folder / "domain.pddl", *(folder / f"{name}.pddl" for name in PROBLEMS))
    judged = 0
    for bound in _loaded(options):
        judge = make_judge(bound, options.judging)
        for obligation in obligations_of(bound.rules.rules):
            judge.judge(obligation)
            judged += 1
    return cpu_seconds() - start, judged


def bench_peer(report: Report, seeds: Sequence[int], *, every: bool) -> None:
    """Generated tasks: as many proofs as the peer, in at most half of its time."""
    if find_spec("unified_planning") is None or find_spec("up_fast_downward") is None:
        raise PeerMissingError("install the peer with: pip install -r requirements/bench.txt")
    report.section(
        f"rules proven in CPU seconds, {'every' if every else 'the first'} instance of each "
        "(peer: TrajectoryConstraintsRemover of unified-planning and Fast Downward)"
    )
    totals = [Tally(), Tally(), Tally()]
    for seed in seeds:
        task = generated(f"rules-{seed}", "rovers", seed=seed, **SIZE)
        measured = _beside_peer(task, every=every)
        totals = [total + one for total, one in zip(totals, measured, strict=True)]
        ours, peer, _ = measured
        report.add(Row(f"seed {seed}", str(ours), str(peer), ours.seconds / peer.seconds))
    ours, peer, more = totals
    report.add(Row("all proofs", str(ours), str(peer), ours.proofs / max(1, peer.proofs), Bar(1)))
    ratio = ours.seconds / peer.seconds
    seconds = f"{ours.seconds:.1f} s", f"{peer.seconds:.1f} s"
    report.add(Row("all seconds", *seconds, ratio, Bar(0.5, at_least=False)))
    report.add(Row("only ours", str(more), "", more.proofs / max(1, more.proofs + more.open)))


def _beside_peer(task: BenchmarkTask, *, every: bool) -> tuple[Tally, Tally, Tally]:
    """What we proved of what both can express, what the peer did, and what we proved besides."""
    start = cpu_seconds()
    options = _options(task.domain, task.problem)
    (bound,) = _loaded(options)
    rules = _chosen(bound.rules.rules, every=every)
    questions = [violation_in_pddl3(rule, bound.rules.atoms) for rule in rules]
    shared = [rule for rule, asked in zip(rules, questions, strict=True) if asked is not None]
    others = [rule for rule, asked in zip(rules, questions, strict=True) if asked is None]
    judge = make_judge(bound, options.judging)
    verdicts = _verdicts(judge, shared)
    middle = cpu_seconds()
    more = _tally(_verdicts(judge, others), "passed", cpu_seconds() - middle)
    statuses, seconds = _ask_peer(task, [asked for asked in questions if asked is not None])
    _compare(bound, shared, verdicts, statuses)
    return _tally(verdicts, "passed", middle - start), _tally(statuses, UNSOLVABLE, seconds), more


def _chosen(rules: Sequence[RuleInstance], *, every: bool) -> list[RuleInstance]:
    """Instances in which something can change: all, or the first of each rule."""
    found: dict[str, RuleInstance] = {}
    for rule in rules:
        if rule.formula not in (TRUE, FALSE):
            found.setdefault(rule.id if every else rule.rule, rule)
    return list(found.values())


def _options(domain: Path, *problems: Path) -> RulesOptions:
    return RulesOptions(
        domain=str(domain),
        problems=tuple(map(str, problems)),
        rules=str(RULES),
        limits=replace(DEFAULT_LIMITS, seconds=SECONDS),
    )


def _loaded(options: RulesOptions) -> tuple[BoundTask, ...]:
    """Grounded now, whatever may be cached."""
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.dict(os.environ, {"BUGSIEVE_CACHE": folder}),
    ):
        return tuple(item for item in load_rules(options).tasks if isinstance(item, BoundTask))


def _verdicts(judge: RuleJudge, rules: Sequence[RuleInstance]) -> list[str]:
    """Only the rules themselves: the peer knows no causes."""
    wanted = (
        Obligation("violation", rule.id, rule.rule, required(rule, folded=False)) for rule in rules
    )
    return [judge.judge(obligation).verdict for obligation in wanted]


def _tally(answers: Sequence[str], proof: str, seconds: float) -> Tally:
    proofs = sum(answer == proof for answer in answers)
    return Tally(proofs, len(answers) - proofs, seconds)


def _compare(
    bound: BoundTask,
    rules: Sequence[RuleInstance],
    verdicts: Sequence[str],
    statuses: Sequence[str],
) -> None:
    """RuntimeError where one side has found a violation and the other excludes it."""
    for rule, verdict, status in zip(rules, verdicts, statuses, strict=True):
        if (verdict, status[:6]) in (("passed", "SOLVED"), ("failed", UNSOLVABLE[:6])):
            raise RuntimeError(
                f"{bound.file}: {rule.id}: we say {verdict}, the peer says {status}"
            )


def _ask_peer(task: BenchmarkTask, questions: Sequence[Sequence[str]]) -> tuple[list[str], float]:
    """The peer's answers, and its CPU seconds."""
    constraints = "\n".join(text for question in questions for text in question)
    text = task.problem.read_text().rstrip()
    with tempfile.TemporaryDirectory() as folder:
        problem, answers = Path(folder) / "problem.pddl", Path(folder) / "answers"
        problem.write_text(f"{text[:-1]}\n(:constraints (and\n{constraints})))\n")
        sizes = ",".join(str(len(question)) for question in questions)
        arguments = [str(task.domain), str(problem), str(SECONDS), sizes, str(answers)]
        module = [sys.executable, "-m", "benchmarks.trajectory_constraints"]
        subprocess.run([*module, *arguments], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        grounding, *lines = answers.read_text().splitlines()
    rows = [line.split() for line in lines]
    seconds = float(grounding) + sum(float(row[1]) for row in rows)
    return [row[0] for row in rows], seconds


def violation_in_pddl3(
    rule: RuleInstance, atoms: Mapping[str, GroundAtom]
) -> tuple[str, ...] | None:
    """Constraints of traces that the rule is violated in; None where PDDL3 has none.

    No goal is asked for, so a trace may end with the violation: `f U g` is to be had just if
    `always f or g` and `sometime g` are.
    """
    violation = in_view(nnf(negation(required(rule, folded=False))), "strong")
    names = atoms_of(violation)
    if any("(did " in atoms[name].pddl for name in names):
        return None
    parts = [_condition(part, atoms) for part in violation.parts]
    if None in parts:
        return None
    if violation.operator == "finally":
        return (f"(sometime {parts[0]})",)
    if violation.operator == "until":
        return (f"(always (or {parts[0]} {parts[1]}))", f"(sometime {parts[1]})")
    if violation.operator == "strong-release":
        return (f"(always {parts[1]})", f"(sometime {parts[0]})")
    return None


def _condition(formula: Formula, atoms: Mapping[str, GroundAtom]) -> str | None:
    """A formula about one state as a condition of PDDL; None if it is about more."""
    if formula.operator == "atom":
        return atoms[formula.name].pddl
    if formula.operator not in ("not", "and", "or"):
        return None
    parts = [_condition(part, atoms) for part in formula.parts]
    return None if None in parts else f"({formula.operator} {' '.join(map(str, parts))})"


def main() -> None:
    """Print the table for some seeds."""
    first, _, last = (sys.argv[1] if len(sys.argv) > 1 else "1-20").partition("-")
    report = Report()
    bench_example(report, repetitions=3)
    seeds = range(int(first), int(last or first) + 1)
    bench_peer(report, seeds, every="every" in sys.argv[2:])
    print(f"\n{report.summary()}")


if __name__ == "__main__":
    main()
