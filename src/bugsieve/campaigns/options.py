"""The options of campaigns: the command line, the TOML file and the Python call give these."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar

from bugsieve.base.arguments import check_fields, whole_number
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.campaigns.option_tables import TomlOptions, require_different
from bugsieve.campaigns.stop_rules import StopRules, require_count, require_utf8
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS, MOST_EXPANSIONS, level_limits
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.policies.limits import DEFAULT_STEP_LIMIT, WorkerLimits
from bugsieve.tasks.search_limits import Limits

if TYPE_CHECKING:
    from bugsieve.pipeline.pool.sample import Part

INTERLEAVED = "interleaved"
SEPARATE = "separate"
POOL = "pool"
MODES = (INTERLEAVED, SEPARATE, POOL)

AUTO, YES, NO = "auto", "yes", "no"
WHOLE = (AUTO, YES, NO)

DEFAULT_ESCALATION = 2_000_000

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
    policy_seed: int = 0
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
    """Of a measurement, the tests that are made, as `Part` has them: "1/1" for all, "2/5" for
    those that draw the second of five problems. None: this is no measurement."""

    def __post_init__(self) -> None:
        if self.sample is not None:
            _ = self.part
        super().__post_init__()

    @property
    def measures(self) -> bool:
        """Whether its cases are tests of a measurement, each by its number alone."""
        return self.sample is not None

    @property
    def part(self) -> Part:
        """The tests that are made of a measurement."""
        from bugsieve.pipeline.pool.sample import Part

        return Part.parse(self.sample or "")


@dataclass(frozen=True, kw_only=True)
class CostOptions(PolicyOptions):
    """The options of cost testing."""

    kind = "cost"

    task: tuple[str, ...]
    """A domain and a problem file in PDDL, or one SAS file."""
    unit_cost: bool = False
    """Whether every operator costs 1, whatever the files say."""
    objective: str = "quantitative"
    oracles: tuple[str, ...] = ()
    """Empty for a few that suit the objective."""
    mode: str = INTERLEAVED
    """Judge states as they enter the pool, or ("separate") when the pool is full, or ("pool") not
    at all: the policy's runs are kept for campaigns that take over the pool."""
    from_states: str | None = None
    """A file of states or a campaign whose pool to start from; None for the initial state."""
    pool_from: str | None = None
    """A finished campaign whose pool is judged, with the policy's runs as they are stored there:
    no walks are made, and the policy is not asked about these states again."""
    batch_size: int = 256
    """Most states that an oracle gets at once; results do not depend on it."""
    escalate_to: int = DEFAULT_ESCALATION
    """Most expansions of the search that is given failing cases which all oracles left open; 0
    for no such search."""
    examples: int = 0
    """Problems to try for the smallest example of each cause when all is judged; 0: none."""
    whole: str = AUTO
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
