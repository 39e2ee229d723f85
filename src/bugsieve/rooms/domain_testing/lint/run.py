"""Runs all static checks on a domain and its problems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bugsieve.rooms.domain_testing.lint.actions import check_actions
from bugsieve.rooms.domain_testing.lint.collisions import check_collisions
from bugsieve.rooms.domain_testing.lint.declarations import (
    LintedDomain,
    check_declarations,
    check_truth,
)
from bugsieve.rooms.domain_testing.lint.findings import LintFinding
from bugsieve.rooms.domain_testing.lint.lenient import read_leniently
from bugsieve.rooms.domain_testing.lint.mending import (
    DOMAIN_MENDS,
    PROBLEM_MENDS,
    Mended,
    Mends,
    error_finding,
)
from bugsieve.rooms.domain_testing.lint.problems import check_problems
from bugsieve.rooms.domain_testing.lint.requirements import check_requirements
from bugsieve.rooms.domain_testing.worlds import Files
from bugsieve.tasks.pddl.check import PddlTask, reject_swapped
from bugsieve.tasks.pddl.costs import check_costs
from bugsieve.tasks.pddl.domain import Domain, check_domain
from bugsieve.tasks.pddl.problem import Problem, check_problem
from bugsieve.tasks.pddl.reader import MAX_BYTES, Document, PddlError
from bugsieve.tasks.pddl.summary import PddlTexts, constraint_words, without_constraints
from bugsieve.tasks.sources import read_input


def lint(domain: Path, problems: Sequence[Path], files: Files) -> list[LintFinding]:
    """All findings, those of the domain first, by line; InputError for what cannot be read.

    An error hides nothing behind it that does not depend on it: see `mending`.
    """
    mended = _read(domain, files, DOMAIN_MENDS)
    others = [_read(path, files, PROBLEM_MENDS) for path in problems]
    for other in others:
        reject_swapped(mended.document, other.document)
    found = _Linting(mended, others, files).findings()
    name = mended.document.path
    return sorted(dict.fromkeys(found), key=lambda each: _order(each, name))


def _order(found: LintFinding, domain: str) -> tuple[bool, str, int, str]:
    return (found.path != domain, found.path, found.line, found.code)


def _read(path: Path, files: Files, mends: Mends) -> Mended:
    """The file, its parentheses mended if need be."""
    try:
        return Mended(files.document(path), mends)
    except PddlError as error:
        if error.code != "parentheses":
            raise
        data = read_input(path, kind="PDDL", max_bytes=MAX_BYTES)
        document = read_leniently(str(path), data)
        if document is None:
            raise
        return Mended(document, mends, [error_finding(error, document.path)])


@dataclass
class _Linting:
    """The files as they were read, mended as far as the checks have come."""

    mended: Mended
    problems: Sequence[Mended]
    files: Files

    def findings(self) -> Iterator[LintFinding]:
        """The errors, then what is legal and most likely a mistake."""
        words = frozenset(
            word
            for each in (self.mended, *self.problems)
            for word in constraint_words(each.document)
        )
        for each in (self.mended, *self.problems):
            each.document = without_constraints(each.document)
        domain = self.mended.checked(check_domain)
        read = [] if domain is None else [self._problem(each, domain) for each in self.problems]
        yield from (finding for each in (self.mended, *self.problems) for finding in each.findings)
        if domain is not None:
            yield from self._checks(domain, [task for task in read if task is not None], words)

    def _problem(self, mended: Mended, domain: Domain) -> PddlTask | None:
        mended.invented |= self.mended.invented

        def check(document: Document) -> Problem:
            problem = check_problem(document, domain)
            check_costs(domain, problem)
            return problem

        try:
            problem = mended.checked(check)
        except PddlError as error:  # about a cost of the domain
            self.mended.findings.append(error_finding(error, domain.document.path))
            return None
        if problem is None:
            return None
        given = PddlTexts(domain.document.data, problem.document.data)
        return PddlTask(domain, problem, given)

    def _checks(
        self, domain: Domain, tasks: Sequence[PddlTask], words: frozenset[str]
    ) -> Iterator[LintFinding]:
        subject = LintedDomain(domain, [task.problem for task in tasks], words)
        yield from check_requirements(subject)
        all_read = (self.mended, *self.problems)
        if not any(each.is_partial for each in all_read) and len(tasks) == len(self.problems):
            yield from check_declarations(subject)
        yield from check_actions(subject)
        if not tasks or any(each.is_partial or each.is_invented for each in all_read):
            yield from check_collisions(domain)
            return
        yield from check_truth(subject)
        yield from check_problems(tasks, limits=self.files.limits)
