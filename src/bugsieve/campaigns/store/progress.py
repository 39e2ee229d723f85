"""What a campaign is about, how far it has come, and what one transaction adds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bugsieve.pipeline.judging.findings import DeterminismCheck, Finding, OracleRow


@dataclass(frozen=True, kw_only=True)
class Reachable:
    """The states that can be reached, as they were counted when the campaign was made."""

    states: int
    is_counted: bool
    """Whether these are all; else there are more."""
    with_plan: int | None = None
    """Of all reachable states, where they were counted: those from which a plan exists."""
    tested_with_plan: int | None = None
    """Of the test states of a campaign that tests all: those from which a plan exists."""
    is_whole: bool = False
    """Whether all of them that the options select are the test states."""
    why: str = ""
    """Why not, where they are not."""


@dataclass(frozen=True)
class CampaignHeader:
    """What a campaign is about; written once."""

    options: str
    """The options as TOML."""
    subject: Any
    """What the policy is tested on, as it was when the campaign was made; has a `name`."""
    policy: str
    """The one in the options, which stores keep once; empty where no policy is tested."""
    policy_is_object: bool
    """Whether it was given as a Python object, which a spec cannot make again."""
    oracles: tuple[OracleRow, ...]
    policy_fingerprint: str = ""
    """What the policy was when the campaign was made."""
    objective: str = ""
    """Empty where there is only one."""
    reachable: Reachable | None = None
    """None where nobody counted."""

    @property
    def tested(self) -> str:
        """The policy for people, who are told if changes of it cannot be noticed."""
        unseen = " (a Python object: changes of it are not noticed)"
        return self.policy + (unseen if self.policy_is_object else "")

    @property
    def used_oracles(self) -> tuple[str, ...]:
        """The oracles that judge every case, in order."""
        return tuple(row.spec for row in self.oracles if row.objection is None and not row.level)


@dataclass(frozen=True)
class Progress:
    """How far a campaign has come; its counters continue when it is resumed."""

    walks: int = 0
    """Walks below this number are stored, with all that was found out about them."""
    steps: int = 0
    rounds: int = 0
    visits: int = 0
    """Visits below this number are stored, whole."""
    policy_calls: int = 0
    asked_again: int = 0
    """Questions beside those calls, to see whether the policy stands by its answers."""
    seconds: float = 0.0
    """Running time, without the pauses."""
    fuzz_seconds: float = 0.0
    """The part of it that walks took, where that is measured."""
    news_seconds: float = 0.0
    """Running time when the last bug was found, or else when judging began."""
    news_round: int = 0
    """The number of rounds at that moment."""
    troubles: str = "{}"
    """What the policy did wrong outside of judged runs, as JSON: how often, and the first case."""
    loosened: int = 0
    """How often the novelty filter was loosened, and after how many walks the last time."""
    loosened_walks: int = 0
    finished: str | None = None
    """Why the campaign has ended; None while there is more to do."""

    @property
    def all_calls(self) -> int:
        """All questions to the policy, which a budget of them is about."""
        return self.policy_calls + self.asked_again


@dataclass(frozen=True)
class TimelineRow:
    """A moment of the campaign."""

    seconds: float
    event: str
    """"start", "resume", "walks" (what became of them), "round", "bug", "better" (proof of a bug)
    or "end"."""
    walks: int
    cases: int
    """Pool states or unsafe runs."""
    judged: int
    bugs: int
    detail: str = ""


@dataclass(frozen=True, eq=False)
class Addition:
    """What one transaction adds: all of it is stored, or nothing."""

    progress: Progress
    cases: Any = None
    """New cases, in whatever form the store of the kind takes them."""
    findings: Sequence[Finding] = ()
    events: Sequence[TimelineRow] = ()
    check: DeterminismCheck | None = None
    """The result of asking the policy again; takes the place of an earlier one."""


@dataclass(frozen=True)
class WalkRow:
    """How a walk into danger ended."""

    number: int
    outcome: str
    """A value of `WalkOutcome`."""
    steps: int
    seconds: float = 0.0
    """Its share of the time that walks took which were made together."""
