"""Judges rules by the judge of obligations: one verdict per instance, for suites and mutants."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from bugsieve.base.errors import InternalError
from bugsieve.rooms.domain_testing.requirements import source_of
from bugsieve.rooms.domain_testing.rule_judging import Reading, Requirement, RuleFinding
from bugsieve.rooms.rules.checker.rules import CertificateError, Checker
from bugsieve.rooms.rules.checker.rules_pddl import PddlChecker
from bugsieve.rooms.rules.file.binding import BoundRules, RuleInstance
from bugsieve.rooms.rules.file.reading import rules_of
from bugsieve.rooms.rules.file.source import Source
from bugsieve.rooms.rules.ltl.formula import atoms_of
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.obligations.answers import Answer
from bugsieve.rooms.rules.obligations.grading import graded
from bugsieve.rooms.rules.obligations.judge import JudgeOptions, RuleJudge
from bugsieve.rooms.rules.obligations.letters import letters_of
from bugsieve.rooms.rules.obligations.obligation import (
    FORBIDDEN,
    Obligation,
    required,
    rule_obligations,
)
from bugsieve.rooms.rules.obligations.task_world import TaskWorld
from bugsieve.rooms.rules.obligations.vacuity import conditions_of
from bugsieve.rooms.rules.scale import HOLDS, NEVER
from bugsieve.tasks.grounded.task import Task


def judge_rules(
    task: Task, rules: str | Requirement, *, name: str, reading: Reading
) -> Mapping[str, RuleFinding]:
    """Every instance of the rules with its verdict; InputError where they do not fit the task."""
    source = Source(name, rules) if isinstance(rules, str) else source_of(rules)
    bound = rules_of(source).bind(task)
    judge = _Judge(task, bound, reading)
    return {
        instance.id: replace(judge.finding(instance), expect=instance.expect)
        for instance in bound.rules
    }


class _Judge:
    def __init__(self, task: Task, bound: BoundRules, reading: Reading) -> None:
        self._task = task
        self._pddl = {name: atom.pddl for name, atom in bound.atoms.items()}
        self._atoms = {name: atom.condition for name, atom in bound.atoms.items()}
        check = self._check if reading.certified else None
        self._judge = RuleJudge(TaskWorld(task, bound), _options(reading), check)

    def finding(self, instance: RuleInstance) -> RuleFinding:
        """The verdict, and a trace where the rule is violated; InternalError unless proven."""
        found = self._found(instance)
        for _, reason in self._judge.rejected:
            raise InternalError(f"the checker refuses what is said of {instance.id}: {reason}")
        return found

    def _found(self, instance: RuleInstance) -> RuleFinding:
        text = to_text(instance.unfolded)
        violation, *causes = rule_obligations(instance)
        answer = self._judge.judge(violation)
        if answer.verdict == "failed":
            return self._violated(instance, text, answer)
        grade = graded(answer.verdict, is_forbidden=instance.kind == FORBIDDEN)
        if grade not in (HOLDS, NEVER):
            return RuleFinding(grade, text, reason=_why(answer))
        if instance.kind != FORBIDDEN and self._is_vacuous(instance, causes):
            return RuleFinding("vacuous", text)
        return RuleFinding(grade, text)

    def _is_vacuous(self, instance: RuleInstance, causes: Sequence[Obligation]) -> bool:
        """Return true if some condition of the rule, as it was written, causes nothing."""
        shown = [cause for cause in causes if cause.aim == "satisfied by"]
        whole = required(instance, folded=False)
        conditions = conditions_of(whole, whole, shown[0].formula if shown else None)
        return any(
            one.is_vacuous(lambda number: self._judge.judge(shown[number]).verdict)
            for one in conditions
        )

    def _violated(self, instance: RuleInstance, text: str, answer: Answer) -> RuleFinding:
        assert answer.trace is not None
        self._check_on_pddl(answer.trace)
        trace = answer.trace["trace"]
        names = atoms_of(instance.unfolded)
        found, _ = letters_of(self._task, trace["operators"], self._atoms)
        letters = (tuple(name for name in names if name in letter) for letter in found)
        return RuleFinding("violated", text, tuple(trace["actions"]), tuple(letters))

    def _check(self, certificate: Mapping[str, Any]) -> None:
        """Check as campaigns of rules do: on the grounded task, and traces on the PDDL."""
        self._checker.check(certificate)
        if certificate["kind"] == "trace":
            self._pddl_checker.check(certificate, self._pddl)

    def _check_on_pddl(self, certificate: Mapping[str, Any]) -> None:
        """A violation is told only if the validator of PDDL sees it, too."""
        try:
            self._pddl_checker.check(certificate, self._pddl)
        except CertificateError as error:
            raise InternalError(f"the checker refuses a violation: {error}") from None

    @cached_property
    def _checker(self) -> Checker:
        return Checker(self._task.to_sas())

    @cached_property
    def _pddl_checker(self) -> PddlChecker:
        texts = self._task.pddl_texts
        assert texts is not None
        return PddlChecker(*(text.decode("utf-8", "replace") for text in texts))


def _why(answer: Answer) -> str:
    """The reason why nothing is decided; the advice has another name in suites."""
    return answer.reason.replace("--with-goal, or --lassos", "'goalConstrained'")


def _options(reading: Reading) -> JudgeOptions:
    criterion: Any = reading.criterion
    view: Any = reading.view
    return JudgeOptions(criterion, reading.with_goal, limits=reading.limits, view=view)
