"""The answers to `bugsieve replay` about tests of rules, and their wording."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from bugsieve.base.errors import UsageError
from bugsieve.base.wording import counted
from bugsieve.campaigns.named_bugs import find_bug
from bugsieve.campaigns.replays import BUG_IS_THERE, Replayed, ReplayWish
from bugsieve.campaigns.verdict import LEFT_OPEN
from bugsieve.rooms.rules.campaign.replay import (
    FAILURES,
    OPEN,
    ReplayedTest,
    Status,
    replay_rules,
)
from bugsieve.rooms.rules.store.records import RulesRecords


class RulesReplay:
    """Makes the tests of all rules again, or those of the rules that bugs violate."""

    def __init__(self, wish: ReplayWish) -> None:
        if wish.policy is not None:
            raise UsageError(
                f"{wish.folder}: tests of rules have no policy; --domain names a domain"
            )
        self.wish = wish
        self._statuses: Counter[Status] = Counter()

    def replayed(self) -> Iterator[Replayed]:
        """Make the tests again, in order."""
        with RulesRecords(self.wish.folder) as records:
            bugs = [find_bug(records, name).id for name in self.wish.bugs]
        for item in replay_rules(self.wish.folder, self.wish.domain, bugs=bugs):
            self._statuses[item.status] += 1
            yield Replayed(_line(item), _report(item), item.check(str(self.wish.folder)))

    def count_lines(self) -> list[str]:
        """The number of tests of each status, in the order of their first ones."""
        counts = (f"{count} {status.value.lower()}" for status, count in self._statuses.items())
        return [f"{counted(self._statuses.total(), 'test')}: {', '.join(counts)}"]

    @property
    def exit_code(self) -> int:
        """The exit code for rules that are not as they should be, or left open; else 0."""
        if any(self._statuses[status] for status in FAILURES):
            return BUG_IS_THERE
        return LEFT_OPEN if any(self._statuses[status] for status in OPEN) else 0


def _line(item: ReplayedTest) -> str:
    reason = f": {item.sentence}" if item.sentence else ""
    return f"{item.row.number:>5}  {item.status.value:14}  {item.row.obligation.name}{reason}"


def _report(item: ReplayedTest) -> dict[str, Any]:
    about = item.row.obligation
    return {
        "number": item.row.number,
        "rule": about.rule,
        "aim": about.aim,
        "literal": about.literal,
        "status": item.status.value.lower(),
        "sentence": item.sentence,
    }
