"""The options of a safety campaign: the command line, the TOML file and Python give these."""

from __future__ import annotations

from dataclasses import dataclass, field

from bugsieve.basis.arguments import check_fields, whole_number
from bugsieve.basis.errors import UsageError
from bugsieve.campaigns.option_tables import TomlOptions, require_different
from bugsieve.campaigns.stop_rules import StopRules, require_count, require_utf8
from bugsieve.fuzzing.unsafe_runs import SafetyFuzzOptions
from bugsieve.oracles.safety.analysis import DEFAULT_LIMITS, DEFAULT_PROOF_ROWS
from bugsieve.oracles.safety.registry import parse_safety_spec
from bugsieve.policies.worker import WorkerLimits
from bugsieve.search.limits import Limits

DEFAULT_SAFETY_ORACLES = ("tarjan",)


@dataclass(frozen=True)
class SafetyOptions(TomlOptions):
    """What is tested, how, and for how long.

    The campaign keeps the model itself: the names of its files are only for people.
    """

    model: tuple[str, ...]
    """The model, and its property if that has files of its own; or domain, problem and danger."""
    policy: str
    property_name: str | None = None
    """Which property, where there are several."""
    constants: tuple[str, ...] = ()
    """Values of constants, as in "N=5"."""
    policy_seed: int = 0
    policy_limits: WorkerLimits = field(default_factory=WorkerLimits)
    oracles: tuple[str, ...] = DEFAULT_SAFETY_ORACLES
    """The first one finds the faults that become bugs."""
    limits: Limits = DEFAULT_LIMITS
    """What an oracle may spend on one state."""
    proof_rows: int = DEFAULT_PROOF_ROWS
    """Larger proofs are not kept, and what they are about is no bug."""
    shared_runs: int = 32
    """So many runs in a row are analysed with what was found out about those before; 1: none."""
    alone: int = 0
    """For measurements: states of unsafe runs to judge without any knowledge of others."""
    round_walks: int = 256
    """Most walks that are made together; results do not depend on it."""
    fuzz: SafetyFuzzOptions = field(default_factory=SafetyFuzzOptions)
    stop: StopRules = field(default_factory=StopRules)

    def __post_init__(self) -> None:
        check_fields(self)
        specs = self.oracles or DEFAULT_SAFETY_ORACLES
        names = tuple(str(parse_safety_spec(spec)) for spec in specs)
        object.__setattr__(self, "oracles", names)
        require_different(names)
        if self.stop.stale_rounds is not None:
            raise UsageError(
                "stale_rounds is for cost testing; safety testing knows until_stale, in seconds"
            )
        for name in ("proof_rows", "shared_runs", "round_walks"):
            require_count(getattr(self, name), name)
        whole_number(self.alone, "alone", least=0)
        for text in (*self.model, self.policy, *self.constants):
            require_utf8(text)
