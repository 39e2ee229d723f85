"""The options of safety testing."""

from __future__ import annotations

from dataclasses import dataclass, field

from bugsieve.base.arguments import check_fields, whole_number
from bugsieve.base.errors import UsageError
from bugsieve.base.names import no_such
from bugsieve.base.option_fields import MEBIBYTE, OptionField, option, parts
from bugsieve.campaigns.options import AUTO, JUDGING, WHOLE, PolicyOptions
from bugsieve.campaigns.stop_rules import require_count, require_utf8
from bugsieve.policies.limits import DEFAULT_STEP_LIMIT
from bugsieve.rooms.safety.oracles.limits import DEFAULT_LIMITS
from bugsieve.rooms.safety.oracles.registry import parse_safety_spec
from bugsieve.rooms.safety.walks.options import DEFAULT_PROOF_ROWS, WALKS, SafetyFuzzOptions
from bugsieve.tasks.search_limits import Limits

DEFAULT_SAFETY_ORACLES = ("tarjan",)

LIMITS = "limits of an oracle per state"
"""Title of the options of commands."""


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
    oracles: tuple[str, ...] = option(
        DEFAULT_SAFETY_ORACLES,
        "who judges unsafe runs (tarjan); may be repeated, the first one's faults become bugs. "
        "See 'bugsieve list safety-oracles'; 'tarjan:2' allows alternatives that differ from the "
        "policy twice at most",
        name="oracle",
        metavar="SPEC",
        group=JUDGING,
    )
    """The first one finds the faults that become bugs."""
    limits: Limits = field(
        default=DEFAULT_LIMITS,
        metadata=parts(
            expansions=OptionField(help="states whose outcomes are computed", group=LIMITS),
            seconds=OptionField(
                help="seconds (no limit)",
                name="oracle-time",
                is_time=True,
                metavar="S",
                group=LIMITS,
            ),
            bytes=OptionField(
                help="memory of what it remembers",
                name="oracle-memory",
                scale=MEBIBYTE,
                most=1 << 40,
                metavar="MIB",
                group=LIMITS,
            ),
        ),
    )
    step_limit: int = option(DEFAULT_STEP_LIMIT, "steps of a walk", group=WALKS, rank=4)
    proof_rows: int = option(
        DEFAULT_PROOF_ROWS,
        "states in the largest proof to keep; larger finds are no bugs, but the exit code is 1",
        group=JUDGING,
    )
    """Larger proofs are not kept, and what they are about is no bug."""
    shared_runs: int = option(
        32,
        "runs in a row that are judged with what was found out about those before",
        group=JUDGING,
    )
    """So many runs in a row are analysed with what was found out about those before; 1: none."""
    alone: int = option(
        0,
        "for measurements: judge N states once more, each without any knowledge",
        least=0,
        group=JUDGING,
    )
    """For measurements: states of unsafe runs to judge without any knowledge of others."""
    whole: str = option(
        AUTO,
        "when no walk has met danger, explore all that the policy can come to from all start "
        "states, and prove it safe: auto (default) does so for at most 200 000 states, within "
        "--max-time (else 60 s); yes ends with exit code 4 where that is not enough",
        choices=WHOLE,
        group=WALKS,
        rank=5,
    )
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
        from bugsieve.pipeline.pool.sample import ALL_TESTS

        if self.part != ALL_TESTS or self.fuzz.choice != "uniform" or self.shared_runs != 1:
            raise UsageError(
                "runs of a measurement take all outcomes alike, and are judged one by one: "
                "choice must be 'uniform', shared_runs 1 and sample '1/1'"
            )
