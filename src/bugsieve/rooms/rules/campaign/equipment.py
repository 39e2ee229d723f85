"""The equipment for tests of rules: a judge and checkers for each task or model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from bugsieve.base.errors import UsageError
from bugsieve.campaigns.kind import Beginning
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.pipeline.judging.findings import OracleRow
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.rule_subject import Bound
from bugsieve.rooms.rules.campaign.subject import RulesTasks, cases_of, load_rules, stored_tasks
from bugsieve.rooms.rules.ltl.constants import with_constants
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.obligations.answers import Answer
from bugsieve.rooms.rules.obligations.judge import Check, JudgeOptions, RuleJudge
from bugsieve.rooms.rules.obligations.world import Certificate
from bugsieve.rooms.rules.store.bug import ENGINE
from bugsieve.rooms.rules.store.records import RulesRecords
from bugsieve.rooms.rules.store.rows import ObligationRow


class RulesEquipment:
    """Judges and checkers, made when their task comes up."""

    def __init__(self, tasks: Sequence[Bound], options: RulesOptions) -> None:
        self._tasks = tasks
        self._options = options
        self._judges: dict[int, RuleJudge] = {}
        self._checks: dict[int, Check] = {}

    def judge(self, task: int) -> RuleJudge:
        """The judge of a task, which remembers what it has found."""
        if task not in self._judges:
            bound = self._tasks[task]
            self._judges[task] = make_judge(bound, self._options.judging)
        return self._judges[task]

    def recall(self, row: ObligationRow, answer: Answer) -> None:
        """Learn the trace of a stored answer; raise a ValueError if it is not a trace."""
        trace = answer.trace
        if trace is None:
            return
        if trace["rule"] not in self._texts(row):
            raise ValueError("the trace is about another rule")
        if row.task not in self._checks:
            self._checks[row.task] = self._tasks[row.task].check()
        self._checks[row.task](trace)
        self.judge(row.task).recall(answer)

    def _texts(self, row: ObligationRow) -> Iterator[str]:
        """The rule as it was written, and as it is judged where atoms never change."""
        formula = row.obligation.formula
        yield to_text(formula)
        constants = self._tasks[row.task].constants(row.obligation.rule)
        yield to_text(with_constants(formula, constants))

    def close(self) -> None:
        """There is nothing to let go."""


def make_judge(
    bound: Bound, options: JudgeOptions, traces: Iterable[Certificate] = ()
) -> RuleJudge:
    """A judge whose answers have been checked; it tries traces of another version first."""
    return RuleJudge(bound.world(traces), options, bound.check())


def check_options(options: RulesOptions) -> None:
    """Accept all options: without tasks, none of them is wrong."""


def begin(
    options: RulesOptions, tasks: RulesTasks | None, policy: None, states: None
) -> Beginning:
    """A new campaign."""
    if policy is not None or states is not None:
        raise UsageError("tests of rules take neither a policy nor states")
    given = load_rules(options) if tasks is None else tasks
    header = CampaignHeader(options.to_toml(), given.subject, "", False, (OracleRow(ENGINE),))
    return Beginning(header, RulesEquipment(given.tasks, options), cases_of(given.tasks))


def equip(
    header: CampaignHeader, options: RulesOptions, folder: Path, policy: None
) -> RulesEquipment:
    """The equipment of a stored campaign."""
    with RulesRecords(folder) as records:
        return RulesEquipment(stored_tasks(records), options)
