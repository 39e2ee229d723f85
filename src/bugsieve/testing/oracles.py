"""Does an oracle keep its contract?"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import NoReturn

from bugsieve.base.errors import BugsieveError, UnsupportedError
from bugsieve.pipeline.bench import Bench
from bugsieve.pipeline.bugs.certificate import certificate_of, run_part
from bugsieve.pipeline.bugs.checking import checker_of
from bugsieve.pipeline.bugs.verdict import Outcome, Verdict
from bugsieve.pipeline.oracles.learning import KnownCase, LearningOracle
from bugsieve.pipeline.oracles.registry import ORACLES, check_oracle_spec, make_oracle
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.search import Limits
from bugsieve.testing.cases import Case, cases

_LIMITS = (0, 2, 16)
_ENOUGH = 5000


def check_oracle(spec: str, *, tasks: Sequence[Task] | None = None) -> None:
    """AssertionError unless the oracle gives true verdicts, the same ones in every batch.

    - one verdict per suspect, which depends neither on the batch nor on its order; if it learns,
      neither does what it says after its lessons depend on an interruption;
    - a larger limit never loses a bug;
    - the checker accepts the certificate of every bug, and no pass is contradicted by looking at
      every state;
    - an objection is None or a sentence.

    Without tasks, small random ones are used; those given must be small enough to be explored.
    """
    check_oracle_spec(spec)
    objections = [_Examination(spec, case).objection() for case in cases(tasks)]
    if objections and None not in objections:
        raise AssertionError(
            f"oracle {spec!r} objects to every bench, so nothing was checked: {objections[-1]}; "
            "give tasks that it is for"
        )


class _Examination:
    """The checks on one case."""

    def __init__(self, spec: str, case: Case) -> None:
        self.spec = spec
        self.case = case
        self.learns = False

    def objection(self) -> str | None:
        """The reason why the oracle does not apply; None after it has passed all checks."""
        _, member, _ = ORACLES.parse(self.spec)
        reason = member.objection(self.case.bench())
        if reason is not None and not (isinstance(reason, str) and reason):
            self.fail(f"an objection must be None or a sentence, not {reason!r}")
        try:
            whole = self.verdicts(_ENOUGH)
        except UnsupportedError as error:
            return str(error)
        if self.learns:
            self.check_memory(whole)
        else:
            self.check_batches(whole)
        known: set[int] = set()
        for expansions in (*_LIMITS, _ENOUGH):
            verdicts = whole if expansions == _ENOUGH else self.verdicts(expansions)
            self.check_truth(verdicts)
            found = {row for row, verdict in enumerate(verdicts) if verdict.is_bug}
            if not known <= found:
                self.fail(f"the limit of {expansions} expansions loses a bug of a smaller one")
            known = found
        return None

    def verdicts(self, expansions: int, batches: Sequence[Sequence[int]] = ()) -> list[Verdict]:
        """The verdicts on all suspects, given batch by batch to a new oracle on a new bench."""
        everything = range(len(self.case.rows))
        bench, found = self.case.bench(), dict[int, Verdict]()
        with closing(make_oracle(self.spec, bench, limits=Limits(expansions=expansions))) as one:
            self.learns = one.learns
            if isinstance(one, LearningOracle) and one.learns:
                self.told(one, bench, everything, found)
                return [found[row] for row in everything]
            for rows in batches or [everything]:
                given = one.judge(self.case.suspects(bench, rows))
                if len(given) != len(rows) or not all(isinstance(v, Verdict) for v in given):
                    self.fail(f"it must give one Verdict per suspect: {len(rows)} were asked")
                found.update(zip(rows, given, strict=True))
        return [found[row] for row in everything]

    def told(
        self, one: LearningOracle, bench: Bench, rows: Sequence[int], found: dict[int, Verdict]
    ) -> list[tuple[KnownCase, bytes]]:
        """Tell an oracle that learns of the suspects in order; its lessons."""
        suspects = self.case.suspects(bench, rows)
        lessons = []
        for place, row in enumerate(rows):
            known = KnownCase(
                row,
                suspects.states[place],
                float(suspects.values[place]),
                run_part(bench, suspects.runs.rows([place])),
                suspects.origins[place],
            )
            learnt = one.learn(known)
            found[row] = learnt.verdict
            for revision in learnt.revisions:
                if revision.verdict.is_bug:
                    found[revision.case] = revision.verdict
            lessons.append((known, learnt.lesson))
        return lessons

    def check_memory(self, whole: list[Verdict]) -> None:
        """One that is told its lessons again goes on as if it had never been interrupted."""
        bench, half = self.case.bench(), len(whole) // 2
        found: dict[int, Verdict] = {}
        with closing(make_oracle(self.spec, bench, limits=Limits(expansions=_ENOUGH))) as first:
            assert isinstance(first, LearningOracle)
            lessons = self.told(first, bench, range(half), found)
        with closing(make_oracle(self.spec, bench, limits=Limits(expansions=_ENOUGH))) as second:
            assert isinstance(second, LearningOracle)
            second.recall(lessons)
            self.told(second, bench, range(half, len(whole)), found)
        for row, verdict in enumerate(whole):
            if found[row] != verdict:
                self.fail(
                    f"the verdict on suspect {row} depends on an interruption: {verdict}, "
                    f"but {found[row]} after one"
                )

    def check_batches(self, whole: list[Verdict]) -> None:
        """The verdict on a state does not depend on the states beside and before it."""
        forwards = range(len(whole))
        for size, order in ((1, forwards[::-1]), (7, forwards), (len(whole), forwards[::-1])):
            batches = [order[low : low + size] for low in forwards[::size]]
            for row, verdict in enumerate(self.verdicts(_ENOUGH, batches)):
                if verdict != whole[row]:
                    self.fail(
                        f"the verdict on suspect {row} depends on the batch: {whole[row]}, "
                        f"but {verdict} in batches of {size}"
                    )

    def check_truth(self, verdicts: list[Verdict]) -> None:
        """No verdict is contradicted by the true values."""
        bench = self.case.bench()
        objective, suspects = bench.objective, self.case.suspects(bench)
        checker = checker_of(self.case.task.to_sas())
        for row, (verdict, optimum) in enumerate(zip(verdicts, self.case.optima, strict=True)):
            value = float(suspects.values[row])
            is_bug = objective.is_bug(value, optimum)
            if verdict.outcome is Outcome.PASS and is_bug:
                self.fail(f"suspect {row} passed, but a run of value {optimum} beats {value}")
            if verdict.outcome in (Outcome.BUG, Outcome.IMPLIED):
                if not is_bug:
                    self.fail(f"suspect {row} is called a bug, but nothing is better than {value}")
                if verdict.gap > objective.gap(value, optimum):
                    self.fail(f"suspect {row} has a gap of {verdict.gap}, which is too large")
            if verdict.outcome is Outcome.BUG:
                try:
                    checker.check(certificate_of(bench, suspects.states[row], verdict))
                except (BugsieveError, ValueError) as error:
                    self.fail(f"the plan for suspect {row} proves no bug: {error}")
                if verdict.exact and verdict.value != optimum:
                    self.fail(f"suspect {row}: {verdict.value} is called optimal, not {optimum}")

    def fail(self, sentence: str) -> NoReturn:
        """Say what is wrong, and where."""
        raise AssertionError(f"oracle {self.spec!r} on {self.case}: {sentence}")
