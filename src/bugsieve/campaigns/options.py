"""The options of campaigns: the command line, the TOML file and the Python call give these."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

from bugsieve.base.arguments import check_fields, whole_number
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.option_fields import MEBIBYTE, Alias, OptionField, option, parts
from bugsieve.campaigns.option_tables import TomlOptions, require_different
from bugsieve.campaigns.stop_rules import StopRules, require_count, require_utf8
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS, MOST_EXPANSIONS, level_limits
from bugsieve.pipeline.pool.options import TEST_STATES, FuzzOptions
from bugsieve.policies.limits import DEFAULT_STEP_LIMIT, WorkerLimits
from bugsieve.tasks.search_limits import Limits

if TYPE_CHECKING:
    from bugsieve.pipeline.pool.sample import SampleShare

INTERLEAVED = "interleaved"
SEPARATE = "separate"
POOL = "pool"
MODES = (INTERLEAVED, SEPARATE, POOL)

AUTO, YES, NO = "auto", "yes", "no"
WHOLE = (AUTO, YES, NO)

USUAL_OBJECTIVE = "quantitative"
DEFAULT_ESCALATION = 2_000_000

JUDGING = "judging"
"""Title of the options of commands."""

_MOST_WORKERS = 1024


@dataclass(frozen=True, kw_only=True)
class CampaignOptions(TomlOptions):
    """What campaigns of every kind are told: what is tested, how, and for how long."""

    kind: ClassVar[str]
    """The kind of campaigns they are for, by its name in the registry."""

    policy: str
    """As it was typed; the name of a policy that is a Python object."""
    policy_folder: str = ""
    """Where it was typed: what it names is there, and programs start there. Empty: here."""
    policy_seed: int = option(0, name="seed")
    policy_limits: WorkerLimits = field(default_factory=WorkerLimits)
    oracles: tuple[str, ...] = ()
    limits: Limits = DEFAULT_LIMITS
    """What an oracle may spend on one state."""
    step_limit: int = DEFAULT_STEP_LIMIT
    """Longest run of the policy."""
    workers: int = 1
    """Processes that judge."""
    fuzz: Any = None
    """How cases are sought."""
    stop: StopRules = field(default_factory=StopRules)

    @property
    def file(self) -> str:
        """What is tested, by one of its files as it was typed; empty where that is none."""
        return ""

    def __post_init__(self) -> None:
        require_different(self.oracles)
        if not self.measures and (self.stop.tests, self.stop.until_risk) != (None, None):
            raise UsageError("tests and until_risk are for measurements: 'bugsieve measure'")
        for name in ("step_limit", "workers"):
            require_count(getattr(self, name), name)
        if self.workers > _MOST_WORKERS:
            raise UsageError(f"workers must be at most {_MOST_WORKERS}, got {self.workers}")
        for text in (self.policy, self.policy_folder, *self.oracles):
            require_utf8(text)

    @property
    def measures(self) -> bool:
        """Whether its cases are tests of a measurement."""
        return False


@dataclass(frozen=True, kw_only=True)
class PolicyOptions(CampaignOptions):
    """What tests of policies are told."""

    sample: str | None = None
    """Of a measurement, the tests that are made, as `SampleShare` has them: "1/1" for all, "2/5"
    for those that draw the second of five problems. None: this is no measurement."""

    def __post_init__(self) -> None:
        if self.sample is not None:
            _ = self.part
        super().__post_init__()

    @property
    def measures(self) -> bool:
        """Whether its cases are tests of a measurement, each by its number alone."""
        return self.sample is not None

    @property
    def part(self) -> SampleShare:
        """The tests that are made of a measurement."""
        from bugsieve.pipeline.pool.sample import SampleShare

        return SampleShare.parse(self.sample or "")


@dataclass(frozen=True, kw_only=True)
class CostOptions(PolicyOptions):
    """The options of cost testing."""

    kind = "cost"

    task: tuple[str, ...]
    """A domain and a problem file in PDDL, or one SAS file."""
    unit_cost: bool = False
    """Whether every operator costs 1, whatever the files say."""
    objective: str = option(
        USUAL_OBJECTIVE,
        "quantitative (default: cost), qualitative (only reaching the goal), probability (of "
        "reaching it, for policies that give distributions), 'avoid:FORMULA' (never meeting a "
        "condition such as '(and (p a) (not (q b)))') or 'rules:FILE' (never violating a rule of "
        "a rules file, nor of the :constraints of the PDDL; 'rules:constraints' for these alone)",
        metavar="NAME",
        group=JUDGING,
        rank=1,
        alias=Alias(
            "rules",
            "rules:",
            "FILE",
            "a rules file that runs must keep to, or 'constraints' for the :constraints of the "
            "PDDL; short for '--objective rules:FILE'",
        ),
    )
    oracles: tuple[str, ...] = option(
        (),
        "who judges test states; may be repeated. See 'bugsieve list oracles'",
        name="oracle",
        metavar="SPEC",
        group=JUDGING,
        rank=2,
    )
    """Empty for a few that suit the objective."""
    limits: Limits = field(
        default=DEFAULT_LIMITS,
        metadata=parts(
            expansions=OptionField(
                help="states an oracle may expand for one test state", group=JUDGING, rank=3
            ),
            seconds=OptionField(
                help="seconds an oracle may take for one test state; makes results depend on the "
                "machine",
                name="oracle-time",
                is_time=True,
                metavar="S",
                group=JUDGING,
                rank=3,
            ),
            bytes=OptionField(
                help="memory a search of an oracle may take",
                name="oracle-memory",
                scale=MEBIBYTE,
                most=1 << 30,
                metavar="MIB",
                group=JUDGING,
                rank=3,
            ),
        ),
    )
    step_limit: int = option(
        DEFAULT_STEP_LIMIT, "decisions in a run of the policy", group=JUDGING, rank=5
    )
    mode: str = option(
        INTERLEAVED,
        "fill the pool first, then judge it, instead of judging states as they come",
        name="separate",
        dest="mode",
        const=SEPARATE,
        group=TEST_STATES,
        rank=6,
    )
    """Judge states as they enter the pool, or ("separate") when the pool is full, or ("pool") not
    at all: the policy's runs are kept for campaigns that take over the pool."""
    from_states: str | None = option(
        None,
        "start from the states of a JSON file or the pool of a campaign folder; without task "
        "files, a new campaign like the one in this folder",
        name="from",
        dest="from_states",
        metavar="FILE",
        group=TEST_STATES,
        rank=3,
    )
    """A file of states or a campaign whose pool to start from; None for the initial state."""
    pool_from: str | None = None
    """A finished campaign whose pool is judged, with the policy's runs as they are stored there:
    no walks are made, and the policy is not asked about these states again."""
    batch_size: int = 256
    """Most states that an oracle gets at once; results do not depend on it."""
    escalate_to: int = option(
        DEFAULT_ESCALATION,
        "states a last search may expand for failing runs that nobody decided; 0: none",
        least=0,
        most=MOST_EXPANSIONS,
        group=JUDGING,
        rank=4,
    )
    """Most expansions of the search that is given failing cases which all oracles left open; 0
    for no such search."""
    examples: int = option(
        0,
        "problems with fewer objects to try for the smallest example of each cause, when all is "
        "judged; DIR/smallest has them, 0: none",
        usual=10,
        least=0,
        most=10**6,
        group="examples",
    )
    """Problems to try for the smallest example of each cause when all is judged; 0: none."""
    whole: str = option(
        AUTO,
        "test every reachable state, judged by exact costs, in place of walks: auto (default) "
        "does so for tasks of at most 200 000 reachable states, if the policy can be asked about "
        "all within --max-time (else 60 s) and no option of walks is given",
        choices=WHOLE,
        group=TEST_STATES,
        rank=1,
    )
    """Whether every reachable state of a small task is tested, in place of walks: "yes", "no", or
    ("auto") where nothing is said about walks, the states can be counted and the policy asked."""
    fuzz: FuzzOptions = field(default_factory=FuzzOptions)

    @property
    def file(self) -> str:
        """The problem."""
        return self.task[-1] if self.task else ""

    def __post_init__(self) -> None:
        check_fields(self)
        if len(self.task) > 2:
            raise UsageError("a task is a domain and a problem file, or one .sas file, not more")
        if self.mode not in MODES:
            raise UsageError(no_such("mode", self.mode, MODES))
        if self.whole not in WHOLE:
            raise UsageError(no_such("whole", self.whole, WHOLE))
        self._check_pool()
        if self.measures:
            self._check_sample()
        if not self.oracles and self.mode != POOL:
            usual = usual_oracles(self.objective, alone=self.measures)
            object.__setattr__(self, "oracles", usual)
        if self.mode != INTERLEAVED and self.stop.stale_rounds is not None:
            raise UsageError("stale_rounds needs the interleaved mode, where rounds are judged")
        require_count(self.batch_size, "batch_size")
        for name in ("escalate_to", "examples"):
            whole_number(getattr(self, name), name, least=0)
        if self.escalate_to > MOST_EXPANSIONS:
            raise UsageError(f"escalate_to must be at most {MOST_EXPANSIONS}")
        for text in (*self.task, self.from_states or "", self.pool_from or ""):
            require_utf8(text)
        super().__post_init__()

    @property
    def levels(self) -> tuple[int, ...]:
        """Limits on expansions at the levels above 0; tests of a measurement know the last one."""
        limits = level_limits(self.limits.expansions, 0 if self.mode == POOL else self.escalate_to)
        return limits[-1:] if self.measures else limits

    def _check_pool(self) -> None:
        """UsageError where a pool is made or taken over, and something else is asked for too."""
        if self.mode == POOL and self.oracles:
            raise UsageError(f"the mode {POOL!r} judges nothing: name no oracles")
        if self.pool_from is not None and (self.mode == POOL or self.from_states is not None):
            raise UsageError("pool_from takes a pool as it is: leave out from_states and the mode")

    def _check_sample(self) -> None:
        """UsageError unless every test is drawn by its number alone."""
        from bugsieve.pipeline.pool.sample import require_sample

        if self.mode != INTERLEAVED or self.from_states is not None or self.pool_from is not None:
            raise UsageError("tests of a measurement start from the initial state, without a pool")
        require_sample(self.fuzz)


def walk_options(fuzz: FuzzOptions) -> list[str]:
    """The options about pool and walks that are not as usual; "auto" does not overrule them."""
    usual = FuzzOptions()
    free = ("seed", "test_states")  # these matter to whole tasks as well, or to the policy alone
    names = [field.name for field in fields(fuzz) if field.name not in free]
    return [name for name in names if getattr(fuzz, name) != getattr(usual, name)]


def with_typed_walks(options: CostOptions) -> CostOptions:
    """The same where options of walks were typed: they count also if all are as usual."""
    is_usual = options.whole == AUTO and not walk_options(options.fuzz)
    return replace(options, whole=NO) if is_usual else options


def usual_oracles(objective: str, *, alone: bool = False) -> tuple[str, ...]:
    """The oracles of campaigns that name none; `alone` if they must not learn from other cases."""
    from bugsieve.pipeline.objectives import objective_class

    found = objective_class(objective)
    return found.oracles_alone if alone else found.usual_oracles
