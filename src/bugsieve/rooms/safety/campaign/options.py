"""The options of safety testing."""

from __future__ import annotations

from dataclasses import dataclass, field

from bugsieve.base.arguments import check_fields, whole_number
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.campaigns.options import AUTO, WHOLE, PolicyOptions
from bugsieve.campaigns.stop_rules import require_count, require_utf8
from bugsieve.pipeline.pool.sample import ALL_TESTS
from bugsieve.rooms.safety.oracles.analysis import DEFAULT_LIMITS
from bugsieve.rooms.safety.oracles.registry import parse_safety_spec
from bugsieve.rooms.safety.walks.run_examiner import DEFAULT_PROOF_ROWS
from bugsieve.rooms.safety.walks.unsafe_runs import SafetyFuzzOptions
from bugsieve.tasks.search_limits import Limits

DEFAULT_SAFETY_ORACLES = ("tarjan",)


@dataclass(frozen=True, kw_only=True)
class SafetyOptions(PolicyOptions):
    """The options of safety testing.

    The campaign keeps the model itself: the names of its files are only for people.
    """

    kind = "safety"

    model: tuple[str, ...]
    """The model, and its property if that has files of its own; or domain, problem and danger."""
    property_name: str | None = None
    """Which property, where there are several."""
    constants: tuple[str, ...] = ()
    """Values of constants, as in "N=5"."""
    oracles: tuple[str, ...] = DEFAULT_SAFETY_ORACLES
    """The first one finds the faults that become bugs."""
    limits: Limits = DEFAULT_LIMITS
    proof_rows: int = DEFAULT_PROOF_ROWS
    """Larger proofs are not kept, and what they are about is no bug."""
    shared_runs: int = 32
    """So many runs in a row are analysed with what was found out about those before; 1: none."""
    alone: int = 0
    """For measurements: states of unsafe runs to judge without any knowledge of others."""
    whole: str = AUTO
    """Whether all that the policy can come to is explored when no walk has met danger: "yes" (an
    error where it cannot be), "no", or ("auto") where the states are few enough."""
    fuzz: SafetyFuzzOptions = field(default_factory=SafetyFuzzOptions)

    @property
    def file(self) -> str:
        """The model, or the domain that it is made of."""
        return self.model[0] if self.model else ""

    def __post_init__(self) -> None:
        check_fields(self)
        specs = self.oracles or DEFAULT_SAFETY_ORACLES
        object.__setattr__(self, "oracles", tuple(str(parse_safety_spec(spec)) for spec in specs))
        if self.stop.stale_rounds is not None:
            raise UsageError(
                "stale_rounds is for cost testing; safety testing knows until_stale, in seconds"
            )
        if self.stop.max_calls is not None:
            raise UsageError("max_calls is for cost testing: of a model, limit the walks")
        if self.workers != 1:
            raise UsageError("a safety campaign runs in one process: workers must be 1")
        if self.whole not in WHOLE:
            raise UsageError(no_such("whole", self.whole, WHOLE))
        if self.measures:
            self._check_sample()
        for name in ("proof_rows", "shared_runs"):
            require_count(getattr(self, name), name)
        whole_number(self.alone, "alone", least=0)
        for text in (*self.model, *self.constants):
            require_utf8(text)
        super().__post_init__()

    def _check_sample(self) -> None:
        """UsageError unless every run is drawn by its number, and judged without the others."""
        if self.part != ALL_TESTS or self.fuzz.choice != "uniform" or self.shared_runs != 1:
            raise UsageError(
                "runs of a measurement take all outcomes alike, and are judged one by one: "
                "choice must be 'uniform', shared_runs 1 and sample '1/1'"
            )
