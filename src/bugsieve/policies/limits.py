"""What policies may spend; options of campaigns and parsers of commands import it."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.arguments import check_fields
from bugsieve.base.errors import UsageError
from bugsieve.base.option_fields import option

DEFAULT_STEP_LIMIT = 10_000
"""Decisions in a run."""

MAX_MEMORY_MB = 1 << 40
"""So many MiB still fit 64 bits when counted in bytes."""

MAX_HASH_SEED = (1 << 32) - 1
"""The largest that Python takes."""

POLICY = "policy"
"""Title of the options of commands."""

_FOREIGN = "for python: and cmd: policies"


@dataclass(frozen=True)
class WorkerLimits:
    """What a foreign policy may use, and the hash seed that it runs under."""

    deadline: float = option(
        10.0,
        f"{_FOREIGN}, seconds per batch of states",
        is_time=True,
        metavar="S",
        group=POLICY,
    )
    """Seconds for one batch."""
    startup: float | None = None
    """Seconds until it says that it is ready; None for six times the deadline."""
    memory_mb: int | None = option(
        2048,
        f"{_FOREIGN}, address space of the process",
        name="memory",
        most=MAX_MEMORY_MB,
        metavar="MIB",
        group=POLICY,
    )
    """Address space in MiB; None for no limit."""
    batch_size: int = 256
    """States in one message."""
    hash_seed: int = option(
        0,
        f"{_FOREIGN}, what the order of sets depends on in their processes, if they are Python's",
        least=0,
        most=MAX_HASH_SEED,
        group=POLICY,
    )
    """What Python's hashes of texts depend on in its process, hence the order of its sets."""

    def __post_init__(self) -> None:
        check_fields(self)
        _require(self.deadline > 0, "deadline", self.deadline, "a number above 0")
        _require(self.startup_deadline > 0, "startup", self.startup, "a number above 0")
        _require(self.batch_size >= 1, "batch_size", self.batch_size, "at least 1")
        known = f"at least 0 and at most {MAX_HASH_SEED}"
        _require(0 <= self.hash_seed <= MAX_HASH_SEED, "hash_seed", self.hash_seed, known)
        _require(
            self.memory_mb is None or 1 <= self.memory_mb <= MAX_MEMORY_MB,
            "memory_mb",
            self.memory_mb,
            f"at least 1 and at most {MAX_MEMORY_MB}",
        )

    @property
    def startup_deadline(self) -> float:
        """The seconds that the start may take."""
        return 6 * self.deadline if self.startup is None else self.startup


def _require(condition: bool, name: str, value: object, wanted: str) -> None:
    if not condition:
        raise UsageError(f"{name} of a policy's limits must be {wanted}, got {value!r}")
