"""A toy kind of campaigns, defined in tests alone: it tests numbers for being prime.

Its cases are the numbers below a limit, its only oracle divides, its bugs are composite numbers.
There is no policy. As a program, it runs a command of Bugsieve with this kind in the registry.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bugsieve.base.registry import families
from bugsieve.base.stopping import check_stop
from bugsieve.campaigns.campaign import Campaign
from bugsieve.campaigns.events import RoundDone
from bugsieve.campaigns.kind import Beginning, Kind
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.session import Counts, Driver, Session
from bugsieve.campaigns.store.folder import Description
from bugsieve.campaigns.store.progress import CampaignHeader, Progress
from bugsieve.campaigns.store.records import CampaignRecords
from bugsieve.campaigns.store.store import Store
from bugsieve.campaigns.summary import Summary
from bugsieve.pipeline.judging.cases import Visit
from bugsieve.pipeline.judging.findings import BugRow, Finding, OracleRow

NAME = "primes"


@dataclass(frozen=True)
class ToyFuzz:
    seed: int = 0
    limit: int = 200


@dataclass(frozen=True, kw_only=True)
class ToyOptions(CampaignOptions):
    kind = NAME
    policy: str = ""
    fuzz: ToyFuzz = field(default_factory=ToyFuzz)


@dataclass(frozen=True)
class Subject:
    name: str = "natural numbers"


@dataclass(frozen=True)
class Composite:
    """A number that is a product."""

    number: int
    factor: int
    kind: str = "composite"
    oracle: str = "divide"
    gap: float = 1.0
    steps: int = 0

    @property
    def id(self) -> str:
        return f"{self.number:012d}"

    @property
    def certificate(self) -> Mapping[str, Any]:
        return {"number": self.number, "factor": self.factor}

    def to_json(self) -> dict[str, Any]:
        assert self.number % self.factor == 0, "who would believe that?"
        return {"id": self.id, **self.certificate}


class ToyStore(Store):
    kind = NAME
    tables = "CREATE TABLE factors (number INTEGER PRIMARY KEY, factor INTEGER);"

    @classmethod
    def subject_meta(cls, subject: Subject) -> Mapping[str, Any]:
        return {"subject": subject.name}

    def insert_cases(self, cases: Any, seconds: float) -> None:
        raise AssertionError("numbers are not made")

    def insert_own(self, findings: Any) -> None:
        self.many("factors", ((f.visit.case, f.run) for f in findings), verb="INSERT")


class ToyRecords(CampaignRecords[BugRow[Composite]]):
    wanted_kind = NAME
    tables = ToyStore.tables

    def case_count(self) -> int:
        return self.progress().visits

    def factors(self) -> dict[int, int]:
        return dict(self._rows("SELECT number, factor FROM factors ORDER BY number"))

    def _subject(self, meta: dict[str, Any]) -> Subject:
        return Subject(meta["subject"])

    def _bug(self, case: int, data: Any, *rest: Any) -> BugRow[Composite]:
        return BugRow(case, Composite(data["number"], data["factor"]), *rest)


class ToyDriver(Driver):
    def __init__(self, options: ToyOptions) -> None:
        self._limit = options.fuzz.limit

    def step(self, session: Session) -> str | None:
        check_stop()
        number = session.progress.visits
        if number >= self._limit:
            return "all numbers tried"
        factor = next((k for k in range(2, number) if number % k == 0), number)
        visit = Visit(number, number)
        row = BugRow(number, Composite(number, factor), ("divide",), number, number)
        session.accept(Finding(visit, factor, bugs=(row,) if factor < number else ()))
        session.commit()
        return None

    def fresh_cases(self) -> None:
        return None

    def counts(self, progress: Progress) -> Counts:
        return Counts(progress.visits, self._limit, progress.visits, progress.visits)


@dataclass(frozen=True)
class Found:
    rows: list[BugRow[Composite]]

    @property
    def ids(self) -> list[str]:
        return [row.id for row in self.rows]

    def lines(self, most: int) -> list[str]:
        return [f"{row.case} = {row.bug.factor} x …" for row in self.rows[:most]]

    def about(self, name: str) -> str:
        return name

    def json(self) -> list[dict[str, Any]]:
        return [row.bug.to_json() for row in self.rows]


class ToyWording:
    def heading(self, header: CampaignHeader) -> str:
        return f"primes among the {header.subject.name}"

    def first_lines(self, summary: Summary) -> list[str]:
        return []

    def count_lines(self, summary: Summary) -> list[str]:
        return [f"{summary.bugs} are composite"]

    def found(self, records: ToyRecords) -> Found:
        return Found(records.bugs())

    def hints(self, records: ToyRecords, summary: Summary) -> list[str]:
        return []

    def progress(self, state: RoundDone) -> list[str]:
        return [f"number {state.judged}"]


class Nothing:
    def close(self) -> None:
        """There is nothing to let go."""


def begin(options: ToyOptions, subject: Any, policy: Any, states: Any) -> Beginning:
    header = CampaignHeader(options.to_toml(), Subject(), "", False, (OracleRow("divide"),))
    return Beginning(header, Nothing())


def summarise(records: ToyRecords) -> Summary:
    progress, kinds = records.progress(), records.bugs_by_kind()
    return Summary(
        reason=progress.finished,
        seconds=progress.seconds,
        walks=0,
        steps=0,
        bugs=sum(kinds.values()),
        bugs_by_kind=kinds,
        rejected=(),
        troubles={},
    )


PRIMES: Kind[ToyOptions] = Kind(
    name=NAME,
    options=ToyOptions,
    store=ToyStore,
    records=ToyRecords,
    check=lambda options: None,
    begin=begin,
    equip=lambda header, options, folder, policy: Nothing(),
    drive=lambda equipment, options, records: ToyDriver(options),
    summarise=summarise,
    describe=lambda header: Description("numbers", {}, {"bugs/": "composite numbers"}),
    tables=lambda records: {"factors": {"number": [*records.factors()]}},
    about=lambda header: {"subject": header.subject.name},
    wording=ToyWording(),
)


def listed() -> dict[str, str]:
    """The built-in kinds and this one."""
    return {**families.KINDS.builtin, NAME: f"{__name__}:PRIMES"}


def main(arguments: list[str]) -> int:
    """`run FOLDER LIMIT`, or a command of Bugsieve."""
    from bugsieve import cli
    from bugsieve.campaigns import kind

    kind.KINDS.family = replace(families.KINDS, builtin=listed())
    if arguments[0] != "run":
        return cli.main(arguments)
    options = ToyOptions(fuzz=ToyFuzz(limit=int(arguments[2])))
    Campaign.create(Path(arguments[1]), options).run(lambda event: print(event, flush=True))
    return 0


if __name__ == "__main__":
    import tests.system.toy_kind as this  # as the registry finds it

    sys.exit(this.main(sys.argv[1:]))
