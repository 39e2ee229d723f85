"""What a dominance function is made of, and what making it may cost."""

from __future__ import annotations

from dataclasses import astuple, dataclass

from bugsieve.base.arguments import whole_number, whole_number_or_none
from bugsieve.base.errors import UsageError
from bugsieve.base.option_fields import option

MERGINGS = ("dfp", "atomic")
TAUS = ("stages", "local", "none")

GROUP = "dominance function"
"""Title of the options of commands."""

DEFAULT_WORK = 6_000_000_000
"""Steps of merging, of walks and of the fix-point each; some 10 to 20 s apiece on a laptop."""
DEFAULT_BYTES = 450 << 20


@dataclass(frozen=True)
class DominanceOptions:
    """How the factors are made, and limits that count work instead of seconds.

    - `merging`: "dfp" merges factors while they stay below `max_transitions`, "atomic" has one
      factor per variable.
    - `max_transitions`, `max_states`: of a merged factor, both estimated before it is made.
    - `tau`: the walks by which one factor moves while the others stay: those that need "none" of
      the others ("local"), those after which the others return ("stages"), or "none" at all.
    - `floor`: values below minus this fall back to walks; None: 1000, or 20 times the dearest
      operator if that is more.
    - `max_work`, `max_bytes`: where a limit is met, all factors fall back to less; None: no limit.
    """

    merging: str = option(
        "dfp",
        "dfp merges variables into larger factors, atomic leaves each alone (dfp)",
        choices=MERGINGS,
        group=GROUP,
    )
    max_transitions: int = option(
        10_000, "dfp: the most transitions of a merged factor", least=0, group=GROUP
    )
    max_states: int = 50_000
    tau: str = option(
        "stages",
        "moves of one factor while the others stay: those after which they are back (stages), "
        "those that need none of them (local), none (stages)",
        choices=TAUS,
        group=GROUP,
    )
    floor: int | None = None
    max_work: int | None = DEFAULT_WORK
    max_bytes: int | None = DEFAULT_BYTES

    def __post_init__(self) -> None:
        for name, value, choices in (("merging", self.merging, MERGINGS), ("tau", self.tau, TAUS)):
            if value not in choices:
                raise UsageError(f"{name} is one of {', '.join(choices)}, got {value!r}")
        whole_number(self.max_transitions, "max_transitions", least=0)
        whole_number(self.max_states, "max_states", least=1)
        for name in ("floor", "max_work", "max_bytes"):
            whole_number_or_none(getattr(self, name), name, least=0)

    @property
    def key(self) -> bytes:
        """Tells functions of one task apart."""
        return repr(astuple(self)).encode()
