"""Reach the goal within flight rules: bugs are violations that other runs avoid."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from bugsieve.base.errors import UsageError
from bugsieve.base.registry.outside_access import NOTHING, OutsideAccess
from bugsieve.base.wording import counted, printable
from bugsieve.pipeline.objectives.objective import (
    Alternatives,
    BugKind,
    Objective,
    Values,
    certain_failures,
    path_states,
)
from bugsieve.policies.decisions import Ending
from bugsieve.policies.run_table import RunTable
from bugsieve.rooms.rules.file.binding import BoundRules
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.monitoring.causes import names_of, news_of
from bugsieve.rooms.rules.monitoring.monitor import NEVER, NO_LOOP, Monitor
from bugsieve.rooms.rules.monitoring.rule_set import (
    GroundRule,
    RuleSet,
    for_fewer_objects,
    read_rule_set,
    rule_set_of,
)
from bugsieve.rooms.rules.monitoring.ruled_task import RuledTask
from bugsieve.rooms.rules.monitoring.traces import Bools, Letters, RunTraces
from bugsieve.tasks.grounded.task import StateArray, Task

VIOLATED = "rule violated"
"""The kind of bugs, and the ending of a run that is cut where a violation is settled."""

CONSTRAINTS = "constraints"
"""In the place of a file: the rules are in the PDDL. A file of that name is `./constraints`."""

_SHOWN = 3


@dataclass(frozen=True)
class Violation(BugKind):
    """A violation in words: which rules, and where."""

    def describe(self, certificate: Mapping[str, Any], *, is_optimal: bool) -> str:
        """The rules that the run breaks, and the steps after which that is settled."""
        run = certificate["run"]
        given = run.get("rules")
        names = [printable(str(name)) for name in given] if isinstance(given, list) else []
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        rules = f"{', '.join(names[:_SHOWN])}{more}"
        cost = certificate["plan"]["cost"]
        return f"violates {rules} {_where(run)}, a plan of cost {cost} does not"


def _where(run: Mapping[str, Any]) -> str:
    if run["ending"] == VIOLATED:
        return f"after {counted(len(run['operators']), 'step')}"
    return "by going round in a loop" if run["ending"] == "loop" else "at the end of its run"


class PlansWithinRules(Alternatives):
    """The plans that keep all rules."""

    def __init__(self, ruled: RuledTask) -> None:
        super().__init__(ruled.task)
        self.ruled = ruled

    def start(self, state: StateArray) -> StateArray | None:
        """The state with what automata have read of it; None if no run can keep the rules."""
        return self.ruled.start(state)

    def resume(self, states: StateArray, actions: Sequence[int]) -> StateArray | None:
        """The same after a run, all of which automata have read."""
        return self.ruled.resume(states, actions)

    def plan(self, found: tuple[int, ...]) -> tuple[int, ...]:
        """The operators of the tested task that the plan stands for."""
        return self.ruled.plan(found)


class Rules(Objective):
    """Reach the goal without violating a rule of a rules file, or of the PDDL's `:constraints`.

    `rules:FILE` holds runs to both, `rules:constraints` to the latter alone.

    Maximise whether the run keeps all rules. One that reaches the goal is read as it is, a loop as
    it goes on for ever; of others counts what no continuation could repair. A run that gets stuck
    without that has nothing to answer for here, nor has one that begins at the goal.
    """

    usage = "rules:FILE or rules:constraints"
    examples = ()  # rules are about the facts of a task
    minimise = False
    worst = 0.0
    takes_any_plan = False
    kinds: ClassVar = {
        VIOLATED: Violation("Rule violations: a rule is violated where it need not be")
    }
    possible = "the goal could be reached within the rules"
    settled_ending = VIOLATED
    takes_constraints = True
    forgives_stopping = True

    def __init__(self, task: Task, rules: RuleSet, warnings: Sequence[str] = ()) -> None:
        super().__init__(task)
        self.rules = rules
        self.warnings = tuple(warnings)
        self.spec = f"rules:{rules.text}"
        self.monitor = Monitor(rules)

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """The rules file, unless the argument is the rules themselves."""
        return OutsideAccess(files=(argument,)) if argument and _is_file(argument) else NOTHING

    @classmethod
    def check_argument(cls, argument: str | None) -> None:
        """The argument is a file; whether it fits is known with the task."""
        if not argument:
            raise UsageError(f"there is no objective 'rules' without a rules file: {cls.usage}")

    @classmethod
    def check_stored(cls, argument: str | None) -> None:
        """Refuse a name of a file: a campaign holds the rules themselves."""
        super().check_stored(argument)
        if not _is_kept(argument or ""):
            raise UsageError("it names a rules file, where a campaign holds the rules themselves")

    @classmethod
    def placed(cls, argument: str | None, folder: str) -> str | None:
        """The rules file is in that folder."""
        if not argument or not _is_file(argument):
            return argument
        return os.path.abspath(os.path.join(folder, argument))

    @classmethod
    def for_fewer_objects(cls, argument: str | None, task: Task) -> str | None:
        """Without the rules about objects that are gone."""
        return for_fewer_objects(argument or "", task)

    @classmethod
    def shown(cls, spec: str) -> str:
        """The names of the rules, as far as there is room."""
        return _shown(spec.partition(":")[2].strip()) or spec

    @classmethod
    def from_spec(cls, task: Task, argument: str | None) -> Rules:
        """The argument is a rules file, or the rules themselves."""
        text = argument or ""
        if _is_kept(text):
            return cls(task, read_rule_set(text, task))
        bound = _bound(text, task)
        made = cls(task, _rule_set(task, bound), bound.warnings)
        made.monitor.prepare()  # rules that are too large are refused before anything runs
        return made

    def policy_values(self, runs: RunTable) -> Values:
        """0 where a rule is violated, 1 where the run has ended without that."""
        ended = runs.solved | certain_failures(runs)
        values = np.where(ended, 1.0, np.nan)
        if not len(runs):
            return values
        passed = runs.passed()
        traces = RunTraces.of_runs(passed.states, passed.which, passed.offsets, runs.actions())
        loops = np.full(len(runs), NO_LOOP, dtype=np.int64)
        for row in np.flatnonzero(runs.endings == Ending.LOOP).tolist():
            loops[row] = runs.loop_start(row)
        values[self._broken(traces, runs.solved, loops).any(axis=0)] = 0.0
        return values

    def _broken(self, traces: RunTraces, solved: Bools, loops: Any) -> Bools:
        """The runs that break rules; a policy that starts at the goal is never asked."""
        return self.monitor.broken(traces, solved & (traces.lengths > 1), loops)

    def plan_value(self, state: StateArray, plan: tuple[int, ...]) -> float:
        """1 if the plan keeps all rules."""
        states = path_states(self.task, state, plan)
        return float(self.monitor.keeps(RunTraces.of_run(states, plan)))

    def kind(self, policy_value: float) -> str:
        """The policy violates a rule that it could have kept."""
        return VIOLATED

    def settled_at(self, states: StateArray, actions: Sequence[int] = ()) -> int | None:
        """The first state after which a rule is violated with every continuation."""
        settled = self.monitor.settled(RunTraces.of_run(states, actions)).reshape(-1)
        found = settled[settled != NEVER]
        return int(found.min()) if len(found) else None

    def details(
        self, states: StateArray, actions: Sequence[int], ending: str, loop_start: int | None
    ) -> dict[str, Any]:
        """The rules that the run violates, read as its ending says."""
        solved = np.array([ending == Ending.SOLVED.label])
        loops = np.array([NO_LOOP if loop_start is None else loop_start], dtype=np.int64)
        broken = self._broken(RunTraces.of_run(states, actions), solved, loops)[:, 0]
        names = [rule.rule.id for rule, bad in zip(self.monitor.rules, broken, strict=True) if bad]
        return {"rules": names} if names else {}

    def explained(self, certificate: Mapping[str, Any]) -> list[str]:
        """The rules that it violates, and where."""
        run = certificate["run"]
        rules = [rule for rule in self.rules.rules if rule.id in run["rules"]]
        return [
            f"{rule.id} is violated {_where(run)}: {rule.kind} {to_text(rule.formula)}"
            for rule in rules
        ]

    def cause_parts(self, run: Mapping[str, Any], states: StateArray) -> tuple[str, ...]:
        """The rules without their objects; what came true of their negations at the last step."""
        broken = [rule for rule in self.rules.rules if rule.id in run.get("rules", ())]
        if run["ending"] == Ending.LOOP.label:
            return tuple(names_of(broken))
        letters = Letters(RunTraces.of_run(states, run["operators"]), self.monitor.atoms)
        return (*names_of(broken), *news_of(broken, letters))

    def alternatives(self) -> Alternatives:
        """The task within the rules; made once, UnsupportedError if huge."""
        return self._alternatives

    @cached_property
    def _alternatives(self) -> PlansWithinRules:
        return PlansWithinRules(RuledTask(self.task, self.monitor))


def _is_kept(argument: str) -> bool:
    """Return true if the argument is the rules themselves."""
    return argument.lstrip().startswith("{")


def _is_file(argument: str) -> bool:
    return argument != CONSTRAINTS and not _is_kept(argument)


def _shown(text: str) -> str:
    """The names of rules in a text that may be anything; empty if it has none."""
    try:
        names = [row[0] for row in json.loads(text)["rules"]]
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        return f"rules {', '.join(names[:_SHOWN])}{more}"
    except (ValueError, TypeError, LookupError, RecursionError):
        return ""


def _bound(name: str, task: Task) -> BoundRules:
    """The rules of the file, then the constraints of the PDDL."""
    from bugsieve.rooms.rules.file.binding import joined
    from bugsieve.rooms.rules.file.constraints import constraint_rules
    from bugsieve.rooms.rules.file.reading import read_rules

    files = [read_rules(name)] if _is_file(name) else []
    if task.pddl_texts is not None:
        texts = task.pddl_texts
        files.append(constraint_rules(texts, domain="domain.pddl", problem="problem.pddl"))
    bound = joined(*(file.bind(task) for file in files if file.rules))
    if bound.rules:
        return bound
    if _is_file(name):
        raise UsageError(f"{name}: no rule has an instance in {task.name}")
    raise UsageError(f"{task.name} has no ':constraints' for its objects: name a rules file")


def _rule_set(task: Task, bound: BoundRules) -> RuleSet:
    rules = [GroundRule(rule.id, rule.kind, rule.formula) for rule in bound.rules]
    conditions = {name: atom.condition for name, atom in bound.atoms.items()}
    return rule_set_of(task, rules, conditions)
