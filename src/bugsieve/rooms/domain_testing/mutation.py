"""Mutation testing of a domain: which small mistakes do the rules and the suite notice?"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from bugsieve.base.errors import BudgetError, InputError, InternalError, UsageError
from bugsieve.rooms.domain_testing.equivalence import MAX_STATES, Equivalence, compare_tasks
from bugsieve.rooms.domain_testing.mutants import Mutant, mutants_of
from bugsieve.rooms.domain_testing.suite_runs import (
    CaseResult,
    RunOptions,
    check_files,
    differs,
    run_case,
    run_suite,
)
from bugsieve.rooms.domain_testing.suites import Case, Suite
from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.tasks.pddl.domain import check_domain
from bugsieve.tasks.pddl.summary import with_constraints_of, without_constraints

Fate: TypeAlias = Literal["killed", "survived", "equivalent", "stillborn"]


@dataclass(frozen=True)
class MutantResult:
    """The result of testing a mutant."""

    mutant: Mutant
    fate: Fate
    reason: str = ""
    """The case that kills it with what it says now; why it is stillborn; what is undecided."""


@dataclass(frozen=True)
class MutationOptions:
    """The limits of mutation testing for each mutant."""

    run: RunOptions = field(default_factory=RunOptions)
    max_states: int = MAX_STATES
    """Of one problem, to find out whether a mutant does the same as the domain."""


class MutationTest:
    """The mutants of one domain, and the cases of a suite that use this domain."""

    def __init__(
        self,
        suite: Suite,
        files: Files,
        options: MutationOptions,
        *,
        domain: Path | None = None,
    ) -> None:
        self.options = replace(options, run=replace(options.run, certified=False))
        self.files = files
        self.domain, self.cases = cases_of_one_domain(suite, domain)
        tested = Suite(suite.path, self.domain, tuple(self.cases))
        check_files(tested, files)
        self.problems = list(dict.fromkeys(case.problem for case in self.cases))
        self.mutants = mutants_of(check_domain(without_constraints(files.document(self.domain))))
        self.baseline = list(run_suite(tested, files, self.options.run))

    def run(self, mutants: Sequence[Mutant] | None = None) -> Iterator[MutantResult]:
        """One result per mutant, in order."""
        for mutant in self.mutants if mutants is None else mutants:
            yield self.judge(mutant)

    def judge(self, mutant: Mutant) -> MutantResult:
        """Judge one mutant."""
        original = self.files.document(self.domain)
        changed_domain = with_constraints_of(original, mutant.document(original))
        files = self.files.with_changed(self.domain, changed_domain)
        try:
            equality = self._compared(files)
        except (InputError, InternalError) as error:  # our reader, or the translator, refuses it
            return MutantResult(mutant, "stillborn", str(error))
        if equality == "equal":
            return MutantResult(mutant, "equivalent")
        undecided = []
        for before in self.baseline:
            after = self._rerun(before.case, files)
            changed = [] if after is None else differs(before.verdicts, after.verdicts)
            if after is not None and changed:
                now = f"{changed[0]}: {after.verdicts[changed[0]]}"
                return MutantResult(mutant, "killed", f"{before.case.title}: {now}")
            if after is None or "undecided" in (before.outcome, after.outcome):
                undecided.append(before.case.title)
        reason = f"undecided: {', '.join(undecided)}" if undecided else ""
        return MutantResult(mutant, "survived", reason)

    def _compared(self, files: Files) -> Equivalence:
        """Compare mutant and domain on all problems: "different" counts before "unknown"."""
        worst: Equivalence = "equal"
        for problem in self.problems:
            try:
                tasks = [f.world(self.domain, problem).task for f in (self.files, files)]
            except BudgetError:
                worst = "unknown"
                continue
            found = compare_tasks(*tasks, max_states=self.options.max_states)
            if found == "different":
                worst = found  # the other problems must still be readable
            elif found == "unknown" and worst == "equal":
                worst = found
        return worst

    def _rerun(self, case: Case, files: Files) -> CaseResult | None:
        """The case on the mutant; None where it cannot be decided."""
        try:
            return run_case(case, files, self.options.run)
        except (BudgetError, InputError):  # readable it is, but what is asked does not fit it
            return None


def cases_of_one_domain(suite: Suite, domain: Path | None) -> tuple[Path, list[Case]]:
    """The domain that is tested, by default that of the suite, and the cases that use it."""
    domains = list(dict.fromkeys(case.domain for case in suite.cases))
    chosen = domain or suite.domain
    if chosen is None and len(domains) != 1:
        raise UsageError(
            f"{suite.path}: has cases on {len(domains)} domains and no 'defaultDomain': say which "
            "one with --domain"
        )
    chosen = chosen or domains[0]
    same = [name for name in domains if os.path.realpath(name) == os.path.realpath(chosen)]
    cases = [case for case in suite.cases if case.domain in same]
    if not cases:
        raise UsageError(f"{suite.path}: no case uses the domain {chosen}")
    return same[0], [replace(case, domain=same[0]) for case in cases]


@dataclass(frozen=True)
class Score:
    """The number of mutants of each fate."""

    killed: int
    survived: int
    equivalent: int
    stillborn: int

    @property
    def counted(self) -> int:
        """Mutants that are neither equivalent nor stillborn."""
        return self.killed + self.survived

    @property
    def ratio(self) -> float | None:
        """The share of the counted ones that was killed; None if there is none."""
        return self.killed / self.counted if self.counted else None


def score_of(results: Sequence[MutantResult]) -> Score:
    """The numbers of fates."""
    fates = [result.fate for result in results]
    return Score(*(fates.count(fate) for fate in Score.__dataclass_fields__))  # type: ignore[arg-type]
