"""Checks a domain and a problem together, before the translator sees them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from bugsieve.base.errors import InputError
from bugsieve.tasks.pddl.canonical import canonical_domain, canonical_problem
from bugsieve.tasks.pddl.costs import check_costs, missing_values
from bugsieve.tasks.pddl.domain import Domain, check_domain, define_block
from bugsieve.tasks.pddl.problem import Problem, check_problem
from bugsieve.tasks.pddl.reader import Document, read_document
from bugsieve.tasks.pddl.summary import PddlTexts


@dataclass(frozen=True)
class PddlTask:
    """A domain and a problem that fit together."""

    domain: Domain
    problem: Problem
    given: PddlTexts
    """The texts as read, before anything was rewritten."""

    @cached_property
    def texts(self) -> tuple[bytes, bytes]:
        """Domain and problem as the translator takes them."""
        missing = missing_values(self.domain, self.problem)
        return canonical_domain(self.domain), canonical_problem(self.problem, missing)


def check_pddl(
    domain: str | os.PathLike[str],
    problem: str | os.PathLike[str],
    *,
    rewrite: Callable[[Document], Document] | None = None,
) -> PddlTask:
    """Read and check both files; errors name the file and the line.

    `rewrite` may turn what is beyond the checks into what they know, in both files.
    """
    return check_documents(read_document(domain), read_document(problem), rewrite=rewrite)


def check_documents(
    domain: Document,
    problem: Document,
    *,
    rewrite: Callable[[Document], Document] | None = None,
) -> PddlTask:
    """Check two documents, which need not be files: mutants of a domain never are."""
    given = PddlTexts(domain.data, problem.data)
    reject_swapped(domain, problem)
    if rewrite is not None:
        domain, problem = rewrite(domain), rewrite(problem)
    checked = check_domain(domain)
    task = PddlTask(checked, check_problem(problem, checked), given)
    check_costs(task.domain, task.problem)
    return task


def reject_swapped(domain: Document, problem: Document) -> None:
    """Raise if the domain was given as the problem, and the problem as the domain."""
    if define_block(domain)[0] == "problem" and define_block(problem)[0] == "domain":
        raise InputError(
            f"{domain.path} is the problem and {problem.path} the domain: "
            "swap them, the domain comes first"
        )
