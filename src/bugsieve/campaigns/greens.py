"""Certificates of campaigns without bugs, of whatever kind: kept, believed and given away.

What is called proven was accepted by a checker: by ours before the certificate was stored, which
its seal tells, else by one that runs when somebody asks. So a stranger's folder proves nothing by
what it says, only by what it holds.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from bugsieve.base.errors import BudgetError, InputError
from bugsieve.base.files_and_processes.files import write_atomically
from bugsieve.base.trust.user_signatures import is_sealed, seal_of
from bugsieve.campaigns.checks import Check as BuildCheck
from bugsieve.campaigns.store.certificate_blobs import packed, unpacked
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.store.records import CampaignRecords
from bugsieve.campaigns.store.store import Store

Check = Callable[[Any], None]
"""Raises ValueError or ArithmeticError where a certificate does not prove what it should here."""


def keep_green(store: type[Store], directory: Path, header: CampaignHeader, green: Any) -> str:
    """Store a certificate that was accepted; returns why that cannot be, or nothing."""
    try:
        content = packed(green)
    except BudgetError as error:
        return str(error)
    made = store.open(directory)
    try:
        made.put_green(content, seal_of(_sealed(header, content)))
    finally:
        made.close()
    return ""


def is_proven(records: CampaignRecords[Any], check: Check) -> bool:
    """Return true if the campaign has a certificate that the checker has accepted, or does now."""
    stored = records.green()
    if stored is None:
        return False
    content, seal = stored
    if seal is not None and is_sealed(_sealed(records.header, content), seal):
        return True
    return _refusal(_Claim(content, check, _digest(records.header))) is None


def proven_green(records: CampaignRecords[Any], check: Check) -> Any | None:
    """The certificate of a campaign where it is proven in this sense; None without one."""
    stored = records.green()
    return unpacked(stored[0]) if stored is not None and is_proven(records, check) else None


def green_of(records: CampaignRecords[Any], check: Check) -> Any | None:
    """The certificate of a campaign, checked anew; None without one, InputError if refused."""
    stored = records.green()
    if stored is None:
        return None
    refusal = _checked(stored[0], check)
    if refusal is not None:
        raise InputError(
            f"{records.directory}: the certificate that there is no bug does not hold ({refusal}),"
            " so the store was changed or damaged; test the policy again"
        )
    return unpacked(stored[0])


def write_green(green: Any, target: Path) -> None:
    """Write a certificate as a file, as the checker reads it alone."""
    write_atomically(target, (json.dumps(green) + "\n").encode("ascii"))


class GreenStatus(enum.Enum):
    """What has become of a green."""

    PROOF_HOLDS = "PROOF HOLDS"
    PROOF_LOST = "PROOF LOST"


@dataclass(frozen=True)
class GreenReplay:
    """The status, and a sentence that explains it."""

    status: GreenStatus
    sentence: str
    asked: int
    """In how many states the policy was asked."""
    changed: int
    """In how many of them it answered otherwise."""

    def check(self, folder: Path) -> BuildCheck:
        """What build servers are told."""
        holds = self.status is GreenStatus.PROOF_HOLDS
        reason = f"{self.status.value}: {self.sentence}"
        return BuildCheck("no bugs", str(folder), "passed" if holds else "failure", reason)


@dataclass(frozen=True)
class Greens:
    """The certificates of a kind of campaigns, for who looks at them alone."""

    stored: Callable[[Path], Any | None]
    """The one in a folder, checked anew; None if there is none, or there is something wrong."""
    checker: str
    """The module that checks one as a program."""
    subject: str
    """The file in the folder that it is about."""


class _Claim:
    """A certificate to be checked; equal where nothing that the check depends on differs."""

    def __init__(self, content: bytes, check: Check, about: str) -> None:
        self.content, self.check = content, check
        self._key = (sha256(content).digest(), about)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Claim) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)


@lru_cache(maxsize=8)
def _refusal(claim: _Claim) -> str | None:
    return _checked(claim.content, claim.check)


def _checked(content: bytes, check: Check) -> str | None:
    """None if the checker accepts the content, else its sentence."""
    try:
        check(unpacked(content))
    except (ValueError, ArithmeticError, RecursionError) as error:
        return str(error)
    return None


def _digest(header: CampaignHeader) -> str:
    """Tells campaigns apart whose certificates must not stand for each other."""
    about = [header.options, header.policy, header.policy_fingerprint, header.objective]
    return sha256(json.dumps([*about, header.subject.sha256]).encode()).hexdigest()


def _sealed(header: CampaignHeader, content: bytes) -> bytes:
    return b"green " + _digest(header).encode() + content
