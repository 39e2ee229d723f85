"""Runs all static checks on a domain and its problems."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bugsieve.domain_testing.lint.actions import check_actions
from bugsieve.domain_testing.lint.declarations import Subject, check_declarations, check_truth
from bugsieve.domain_testing.lint.findings import Finding
from bugsieve.domain_testing.lint.problems import check_problems
from bugsieve.domain_testing.lint.requirements import check_requirements
from bugsieve.domain_testing.worlds import Files
from bugsieve.tasks.pddl.domain import check_domain


def lint(domain: Path, problems: Sequence[Path], files: Files) -> list[Finding]:
    """All findings, those of the domain first, by line; InputError for what is no PDDL."""
    tasks = [files.pddl(domain, problem) for problem in problems]
    checked = tasks[0].domain if tasks else check_domain(files.document(domain))
    subject = Subject(checked, [task.problem for task in tasks])
    found = [
        *check_requirements(subject),
        *check_declarations(subject),
        *check_actions(subject),
        *check_truth(subject),
        *check_problems(tasks, limits=files.limits),
    ]
    return sorted(dict.fromkeys(found), key=lambda each: _order(each, checked.document.path))


def _order(found: Finding, domain: str) -> tuple[bool, str, int, str]:
    return (found.path != domain, found.path, found.line, found.code)
