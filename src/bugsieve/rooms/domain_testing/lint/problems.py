"""Checks of a domain with its problems: what can never happen there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bugsieve.rooms.domain_testing.lint.collisions import check_collisions
from bugsieve.rooms.domain_testing.lint.findings import LintFinding, finding
from bugsieve.rooms.domain_testing.places import action_line
from bugsieve.tasks.grounded.translator import TranslationLimits
from bugsieve.tasks.grounded.worlds import ActionWorld, world_of
from bugsieve.tasks.pddl.check import PddlTask
from bugsieve.tasks.pddl.execution import Interpreter
from bugsieve.tasks.pddl.reader import words_of


def check_problems(
    tasks: Sequence[PddlTask], *, limits: TranslationLimits | None = None
) -> Iterator[LintFinding]:
    """Findings of the relaxation on the actions and the goals of problems of one domain."""
    worlds = [world_of(pddl, limits=limits) for pddl in tasks]
    names = frozenset(name for world in worlds for name in world.task.operator_names)
    for pddl in tasks[:1]:
        yield from check_collisions(pddl.domain, names)
    reached = [{words_of(name)[0] for name in world.task.operator_names} for world in worlds]
    for pddl, world, actions in zip(tasks, worlds, reached, strict=True):
        yield from _goal(pddl, world)
        for action in pddl.domain.actions:
            if action not in actions:
                found = _unreached(pddl, action)
                is_local = len(tasks) == 1 or any(action in others for others in reached)
                yield replace(found, severity="note") if is_local else found


def _goal(pddl: PddlTask, world: ActionWorld) -> Iterator[LintFinding]:
    document, goal = pddl.problem.document, pddl.problem.sections[":goal"]
    if world.goal_holds is False:
        sentence = "the goal cannot be reached, not even if nothing were ever deleted"
        yield finding("unreachable-goal", document, goal, sentence)
    elif not Interpreter(pddl).unmet_goal(pddl.problem.atoms):
        sentence = "the goal is true in the initial state"
        yield finding("goal-holds", document, goal, sentence)


def _unreached(pddl: PddlTask, action: str) -> LintFinding:
    document, domain = pddl.domain.document, pddl.domain
    line = action_line(domain, action)
    path = pddl.problem.document.path
    for name, kind in domain.parameters(action).items():
        if not domain.vocabulary.of_type(pddl.problem.objects, kind):
            sentence = (
                f"action '{action}' has no grounding in {path}: there is no object of the type "
                f"'{kind}' of its parameter '{name}'"
            )
            return finding("no-grounding", document, line, sentence)
    sentence = f"action '{action}' can never be applied in {path}"
    return finding("unreachable-action", document, line, sentence)
