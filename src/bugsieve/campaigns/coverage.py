"""How much of what can be reached a campaign has tested: what its verdict may say."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from bugsieve.base.wording import shown_number


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """How much of what can be reached was tested."""

    reachable: int
    """States that were counted."""
    is_counted: bool = False
    """Every reachable state was counted; else there are more than `reachable`."""
    with_plan: int | None = None
    """Of a whole state space: the states from which a plan exists."""
    is_whole: bool = False
    """Every reachable state that the options select is a test state and was judged."""
    is_proven: bool = False
    """A certificate of "no bugs" was accepted by the checker."""
    finding: str = ""
    """What such a certificate shows, as in "the policy is optimal"."""

    @property
    def part(self) -> str:
        """`of more than 200 000 reachable ones`."""
        return f"of {self._states} reachable ones"

    def of_tested(self, tested: int) -> str:
        """`115 of more than 200 000 reachable states tested`."""
        return f"{shown_number(tested)} of {self._states} reachable states tested"

    def green(self, of: str = "") -> str:
        """What was proven, of states `of` several problems."""
        whole = f"{self._states} reachable states{of}"
        if self.with_plan in (None, self.reachable):
            return f"no bugs: {self.finding} from all {whole} (proven)"
        plans = shown_number(self.with_plan or 0)
        return f"no bugs: {self.finding} from the {plans} of {whole} that have a plan (proven)"

    @property
    def _states(self) -> str:
        return f"{'' if self.is_counted else 'more than '}{shown_number(self.reachable)}"


def joint_coverage(parts: Collection[Coverage | None]) -> Coverage | None:
    """That of several problems together; None where it is not known of all."""
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    plans = [part.with_plan for part in known if part.with_plan is not None]
    findings = {part.finding for part in known}
    return Coverage(
        reachable=sum(part.reachable for part in known),
        is_counted=all(part.is_counted for part in known),
        with_plan=sum(plans) if len(plans) == len(known) else None,
        is_whole=all(part.is_whole for part in known),
        is_proven=all(part.is_proven for part in known),
        finding=findings.pop() if len(findings) == 1 else "",
    )
