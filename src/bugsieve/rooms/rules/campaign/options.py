"""The options of tests of rules."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast, get_args

from bugsieve.base.arguments import check_fields
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.option_fields import MEBIBYTE, OptionField, option, parts
from bugsieve.campaigns.options import JUDGING, CampaignOptions
from bugsieve.campaigns.stop_rules import require_utf8
from bugsieve.rooms.rules.ltl.causes import Criterion
from bugsieve.rooms.rules.obligations.limits import DEFAULT_LIMITS
from bugsieve.rooms.rules.store.bug import ENGINE
from bugsieve.rooms.rules.store.languages import SubjectLanguage, language_of
from bugsieve.tasks.search_limits import Limits

if TYPE_CHECKING:
    from bugsieve.rooms.rules.obligations.judge import JudgeOptions
    from bugsieve.rooms.rules.store.records import RulesRecords

REQUIRED = "what is required"
TIMELINES = "models on timelines (NDDL)"
"""Titles of the options of commands."""


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
    criterion: str = option(
        "ufc",
        "what a cause is: ufc (unique first cause, the default), ufc-first or flip",
        metavar="NAME",
        group=JUDGING,
    )
    """A name among `Criterion`."""
    with_goal: bool = option(False, "only traces that end in a goal state count", group=JUDGING)
    """Whether only traces count that end in a goal state."""
    lassos: bool = option(
        False,
        "look for violations among traces without end, too (without fairness)",
        group=JUDGING,
    )
    """Whether violations are also sought among traces that go on for ever."""
    min_coverage: float = 0.0
    """The share of obligations that must be met, in percent."""
    accept_bounded: bool = option(
        False,
        "rules that hold up to K (plans of some size) count as rules that hold",
        group=REQUIRED,
        rank=1,
    )
    """Whether it is enough that a rule holds up to K."""
    slots: int | None = option(
        None,
        "tokens that a timeline may have (more and more, until no more fit)",
        most=2000,
        metavar="K",
        group=TIMELINES,
    )
    """How many tokens a timeline may have; None: more and more, as far as the limits allow."""
    no_vacuous: bool = option(False, "a vacuous condition is a failure", group=REQUIRED)
    """Whether a vacuous condition is a failure."""
    oracles: tuple[str, ...] = (ENGINE,)
    limits: Limits = field(
        default=DEFAULT_LIMITS,
        metadata=parts(
            expansions=OptionField(
                help="states that may be expanded for one obligation", group=JUDGING, rank=1
            ),
            seconds=OptionField(
                help="seconds for one obligation; makes results depend on the machine",
                name="obligation-time",
                is_time=True,
                metavar="S",
                group=JUDGING,
                rank=1,
            ),
            bytes=OptionField(
                help="memory of one search",
                name="memory",
                scale=MEBIBYTE,
                most=1 << 30,
                metavar="MIB",
                group=JUDGING,
                rank=1,
            ),
        ),
    )
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
        from bugsieve.rooms.rules.obligations.judge import JudgeOptions

        criterion = cast(Criterion, self.criterion)
        return JudgeOptions(criterion, self.with_goal, self.lassos, self.limits)


def options_in(records: RulesRecords) -> RulesOptions:
    """The options of a stored campaign."""
    name = str(records.directory / "options.toml")
    return RulesOptions.from_toml(records.header.options, name=name)
