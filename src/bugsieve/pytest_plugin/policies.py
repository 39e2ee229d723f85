"""Which policy a test is about, and whether it may be started."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from bugsieve.base.errors import UsageError
from bugsieve.base.registry.members import MemberTable
from bugsieve.base.registry.spec_folder import typed_in
from bugsieve.base.trust.trust import agree, asking, require_trusted_below
from bugsieve.pytest_plugin import POLICY, TRUST


@dataclass(frozen=True)
class NamedSpec:
    """A policy, or an oracle, with the folder in which it is named, and who names it."""

    spec: str
    folder: str
    source: str
    """The file that names it; empty if the user has typed it."""


def policy_for(config: pytest.Config, source: str) -> NamedSpec:
    """The policy of the command line or of the project's configuration; UsageError if there is
    none, for a file that needs one."""
    typed = config.getoption(POLICY)
    if typed is not None:
        return NamedSpec(str(typed), str(config.invocation_params.dir), "")
    named = config.getini(POLICY)
    if not named:
        raise UsageError(
            f"{source}: which policy is tested? Say --bugsieve-policy SPEC, or {POLICY} = SPEC in "
            "the configuration of pytest"
        )
    folder = config.rootpath if config.inipath is None else config.inipath.parent
    return NamedSpec(str(named), str(folder), str(config.inipath or folder))


def require_startable(config: pytest.Config, table: MemberTable[Any], named: NamedSpec) -> None:
    """UsageError unless a spec of the table is typed: on the command line, or in the root folder.

    Whatever is in there may run code by a `conftest.py`; what is elsewhere may not.
    """
    if not named.source:
        return
    consent = agree if config.getoption(TRUST) else _refused
    with typed_in(named.folder), asking(consent):
        require_trusted_below(str(config.rootpath), table, named.spec, named.source)


def _refused(question: str) -> bool:
    raise UsageError(
        f"{question}. That leaves the root folder of pytest: say --bugsieve-trust-policy if you "
        "trust it"
    )
