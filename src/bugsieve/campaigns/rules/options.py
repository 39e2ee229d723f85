"""The options of tests of rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast, get_args

from bugsieve.basis.arguments import check_fields
from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import no_such
from bugsieve.bugs.rules.bug import ENGINE
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.stop_rules import require_utf8
from bugsieve.rules.ltl.causes import Criterion
from bugsieve.rules.obligations.judge import DEFAULT_LIMITS, JudgeOptions
from bugsieve.search.limits import Limits


@dataclass(frozen=True)
class NoFuzz:
    """Obligations are not sought by chance."""


@dataclass(frozen=True, kw_only=True)
class RulesOptions(CampaignOptions):
    """The options of tests of rules.

    The campaign keeps domain, problems and rules themselves: the names are only for people.
    """

    kind = "rules"

    policy: str = ""
    """There is none."""
    domain: str
    problems: tuple[str, ...]
    rules: str = ""
    """The rules file; empty where the PDDL's own constraints are the rules."""
    criterion: str = "ufc"
    """A name among `Criterion`."""
    with_goal: bool = False
    """Whether only traces count that end in a goal state."""
    lassos: bool = False
    """Whether violations are also sought among traces that go on for ever."""
    min_coverage: float = 0.0
    """The share of obligations that must be met, in percent."""
    no_vacuous: bool = False
    """Whether a vacuous literal is a failure."""
    oracles: tuple[str, ...] = (ENGINE,)
    limits: Limits = DEFAULT_LIMITS
    """What may be spent on one obligation."""
    fuzz: NoFuzz = field(default_factory=NoFuzz)

    def __post_init__(self) -> None:
        check_fields(self)
        if not self.problems:
            raise UsageError("rules are tested on tasks: name at least one problem file")
        if self.criterion not in get_args(Criterion):
            raise UsageError(no_such("criterion", self.criterion, get_args(Criterion)))
        if self.oracles != (ENGINE,):
            raise UsageError("tests of rules take no oracles")
        if not 0 <= self.min_coverage <= 100:
            raise UsageError("min_coverage is a percentage: a number from 0 to 100")
        for text in (self.domain, self.rules, *self.problems):
            require_utf8(text)
        super().__post_init__()

    @property
    def judging(self) -> JudgeOptions:
        """How obligations are judged."""
        criterion = cast(Criterion, self.criterion)
        return JudgeOptions(criterion, self.with_goal, self.lassos, self.limits)
