"""Options of the final tests of policies in an experiment with trainings."""

from __future__ import annotations

from dataclasses import dataclass, field

from bugsieve.base.arguments import check_fields, whole_number
from bugsieve.base.errors import UsageError
from bugsieve.campaigns.option_tables import TomlOptions, require_different
from bugsieve.pipeline.oracles.limits import DEFAULT_LIMITS
from bugsieve.pipeline.oracles.registry import check_oracle_spec
from bugsieve.pipeline.pool.options import FuzzOptions
from bugsieve.rooms.training.campaign.options import UNBIASED
from bugsieve.tasks.search_limits import Limits

EXTENDED_ORACLE = "combined:bmo:100+aras-or-ehc"


def _pool_options() -> FuzzOptions:
    return FuzzOptions(pool_size=100, novelty=2, bias=UNBIASED)


@dataclass(frozen=True, kw_only=True)
class FinalTestOptions(TomlOptions):
    """The options of final tests; a pool is made once for each test task, without a bias."""

    oracles: tuple[str, ...] = (EXTENDED_ORACLE,)
    limits: Limits = DEFAULT_LIMITS
    """The limits of an oracle on one state."""
    step_limit: int = 1000
    fuzz: FuzzOptions = field(default_factory=_pool_options)
    work: int = 10_000_000
    """Decisions and expansions that the test of a policy on one task may take."""

    def __post_init__(self) -> None:
        check_fields(self)
        require_different(self.oracles)
        for spec in self.oracles:
            check_oracle_spec(spec)
        for name in ("step_limit", "work"):
            whole_number(getattr(self, name), name, least=1)
        if self.fuzz.bias != UNBIASED or self.fuzz.along_runs:
            raise UsageError(
                f"the pools are the same for all policies: the bias is {UNBIASED!r}, and no runs "
                "are followed"
            )
