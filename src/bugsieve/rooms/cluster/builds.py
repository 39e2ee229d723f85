"""The Bugsieve of a node: results are the same only where the version and the core are."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Build:
    """A Bugsieve that is installed somewhere."""

    version: str
    core: str
    """The SHA-256 of the compiled core."""
    python: str

    def difference(self, other: Build) -> str | None:
        """The part that another machine has in place of this one's, in half a sentence."""
        for what, mine, its in (
            ("Bugsieve", self.version, other.version),
            ("a compiled core", self.core[:12], other.core[:12]),
            ("Python", self.python, other.python),
        ):
            if mine != its:
                return f"has {what} {its}, and this machine {mine}: install the same on both"
        return None


def this_build() -> Build:
    """The one that runs here."""
    return Build(*prober()())


def prober() -> Callable[[], tuple[str, str, str]]:
    """A function that travels by itself: a node may have no module of ours, or an older one."""

    def probe() -> tuple[str, str, str]:
        import hashlib
        import sys
        from importlib.metadata import version

        from bugsieve import _native

        with open(_native.__file__, "rb") as file:
            core = hashlib.sha256(file.read()).hexdigest()
        return version("bugsieve"), core, ".".join(map(str, sys.version_info[:2]))

    return probe
