"""The checker of certificates, with readers of rules that rooms bring.

The checker itself imports no room, and takes nothing of an objective whose reader is missing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.checkers.cost import Checker, RulesReader

READERS: MemberTable[RulesReader] = MemberTable(families.RULES_READERS)


def checker_of(sas_text: str, *, poll: Callable[[], None] = lambda: None) -> Checker:
    """A checker of certificates of this task, for every objective."""
    return Checker(sas_text, READERS, poll=poll)


def check_certificate(sas_text: str, certificate: Mapping[str, Any]) -> None:
    """Return if the certificate proves a bug of the task, else raise CertificateError."""
    checker_of(sas_text).check(certificate)


def checking_module(objective: str) -> str:
    """The module that checks bugs of this objective when it is run alone."""
    place = READERS.family.builtin.get(objective.partition(":")[0], "bugsieve.checkers.cost")
    return place.partition(":")[0]
