"""The options of tests of rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import cast, get_args

from bugsieve.base.arguments import check_fields
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.campaigns.options import CampaignOptions
from bugsieve.campaigns.stop_rules import require_utf8
from bugsieve.rooms.rules.ltl.causes import Criterion
from bugsieve.rooms.rules.obligations.judge import DEFAULT_LIMITS, JudgeOptions
from bugsieve.rooms.rules.store.bug import ENGINE
from bugsieve.rooms.rules.store.languages import SubjectLanguage, language_of
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.tasks.search_limits import Limits


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
    """A domain of PDDL, or the first file of a model in another language."""
    problems: tuple[str, ...] = ()
    """The problems, or further files of the model."""
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
    accept_bounded: bool = False
    """Whether it is enough that a rule holds up to K."""
    slots: int | None = None
    """How many tokens a timeline may have; None: more and more, as far as the limits allow."""
    no_vacuous: bool = False
    """Whether a vacuous condition is a failure."""
    oracles: tuple[str, ...] = (ENGINE,)
    limits: Limits = DEFAULT_LIMITS
    """What may be spent on one obligation."""
    fuzz: NoFuzz = field(default_factory=NoFuzz)

    @property
    def file(self) -> str:
        """The domain."""
        return self.domain

    def __post_init__(self) -> None:
        check_fields(self)
        self.subject_language.check_options(self)
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
    def subject_language(self) -> SubjectLanguage:
        """The language of what is tested."""
        return language_of(self.domain)

    @property
    def judging(self) -> JudgeOptions:
        """How obligations are judged."""
        criterion = cast(Criterion, self.criterion)
        return JudgeOptions(criterion, self.with_goal, self.lassos, self.limits)


def options_in(records: RulesRecords) -> RulesOptions:
    """The options of a stored campaign."""
    name = str(records.directory / "options.toml")
    return RulesOptions.from_toml(records.header.options, name=name)
