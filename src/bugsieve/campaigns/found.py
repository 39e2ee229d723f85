"""Bugs as Python calls give them: what those of all kinds have."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Protocol

from bugsieve.pipeline.bugs.cause import Cause


class Found(Protocol):
    """A proven bug, with what belongs to it at hand."""

    @property
    def id(self) -> str:
        """Its name."""
        ...

    @property
    def steps(self) -> int:
        """How long the run is that shows it."""
        ...

    @property
    def cause(self) -> Cause:
        """What is wrong; bugs with equal causes belong together."""
        ...


def fields_of(bug: Any) -> dict[str, Any]:
    """The fields of a bug that a store has read, for a dataclass that has more of them."""
    # Parts of a certificate may be read when they are asked for; the folder may be gone then.
    known = {field.name: getattr(bug, field.name) for field in fields(bug)}
    return {**known, "certificate": dict(bug.certificate)}
