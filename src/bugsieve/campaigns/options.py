"""The options of a campaign: the command line, the TOML file and the Python call give these."""

from __future__ import annotations

from dataclasses import dataclass, field

from bugsieve.basis.arguments import check_fields
from bugsieve.basis.errors import UsageError
from bugsieve.basis.names import no_such
from bugsieve.benches.objectives import Objective, objective_class
from bugsieve.campaigns.option_tables import TomlOptions, require_different
from bugsieve.campaigns.stop_rules import StopRules, require_count, require_utf8
from bugsieve.fuzzing.fuzzer import FuzzOptions
from bugsieve.oracles.oracle import DEFAULT_LIMITS
from bugsieve.policies.graph import DEFAULT_STEP_LIMIT
from bugsieve.policies.worker import WorkerLimits
from bugsieve.search import Limits

INTERLEAVED = "interleaved"
SEPARATE = "separate"
MODES = (INTERLEAVED, SEPARATE)

DEFAULT_ORACLES = Objective.usual_oracles

_MOST_WORKERS = 1024


@dataclass(frozen=True)
class CampaignOptions(TomlOptions):
    """What is tested, how, and for how long."""

    task: tuple[str, ...]
    """A domain and a problem file in PDDL, or one SAS file."""
    policy: str
    policy_seed: int = 0
    policy_limits: WorkerLimits = field(default_factory=WorkerLimits)
    objective: str = "quantitative"
    step_limit: int = DEFAULT_STEP_LIMIT
    """Longest run of the policy."""
    oracles: tuple[str, ...] = ()
    """Empty for a few that suit the objective."""
    limits: Limits = DEFAULT_LIMITS
    """What an oracle may spend on one state."""
    mode: str = INTERLEAVED
    """Judge states as they enter the pool, or ("separate") when the pool is full."""
    from_states: str | None = None
    """A file of states or a campaign whose pool to start from; None for the initial state."""
    workers: int = 1
    """Processes that judge."""
    batch_size: int = 256
    """Most states that an oracle gets at once; results do not depend on it."""
    fuzz: FuzzOptions = field(default_factory=FuzzOptions)
    stop: StopRules = field(default_factory=StopRules)

    def __post_init__(self) -> None:
        check_fields(self)
        if len(self.task) > 2:
            raise UsageError("a task is a domain and a problem file, or one .sas file, not more")
        if self.mode not in MODES:
            raise UsageError(no_such("mode", self.mode, MODES))
        if not self.oracles:
            object.__setattr__(self, "oracles", usual_oracles(self.objective))
        require_different(self.oracles)
        if self.mode == SEPARATE and self.stop.stale_rounds is not None:
            raise UsageError("stale_rounds needs the interleaved mode, where rounds are judged")
        for name in ("step_limit", "workers", "batch_size"):
            require_count(getattr(self, name), name)
        if self.workers > _MOST_WORKERS:
            raise UsageError(f"workers must be at most {_MOST_WORKERS}, got {self.workers}")
        for text in (*self.task, self.policy, *self.oracles, self.from_states or ""):
            require_utf8(text)


def usual_oracles(objective: str) -> tuple[str, ...]:
    """The oracles of campaigns that name none."""
    return objective_class(objective).usual_oracles
