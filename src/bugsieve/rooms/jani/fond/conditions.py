"""Ground PDDL conditions as JANI expressions over the atoms of a task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bugsieve.tasks.pddl.check import PddlTask
from bugsieve.tasks.pddl.conditions import Junction, Truth, expand_condition, run_program
from bugsieve.tasks.pddl.formulas import FormulaScope
from bugsieve.tasks.pddl.reader import Document

Json = Any


def ground_condition(condition: Document, pddl: PddlTask, truth: Truth) -> Json:
    """The JANI expression of a PDDL condition: a truth value, or one over names of atoms."""
    vocabulary, objects = pddl.domain.vocabulary, pddl.problem.objects
    scope = FormulaScope(condition, vocabulary, "the condition", objects, checks_types=True)
    program = expand_condition(scope, condition.root, truth)
    return program if isinstance(program, bool) else run_program(program, str, _junction)


def _junction(step: Junction, parts: Sequence[Json]) -> Json:
    if step.word == "not":
        return negation(parts[0])
    return conjunction(parts) if step.word == "and" else disjunction(parts)


def conjunction(parts: Sequence[Json]) -> Json:
    """The formula that holds where all the parts hold."""
    return _joined("∧", parts)


def disjunction(parts: Sequence[Json]) -> Json:
    """The formula that holds where at least one of the parts holds."""
    return _joined("∨", parts)


def negation(part: Json) -> Json:
    """The formula that holds where the part does not."""
    return (not part) if isinstance(part, bool) else {"op": "¬", "exp": part}


def _joined(operator: str, parts: Sequence[Json]) -> Json:
    """Balanced, so that a long list does not nest deeply."""
    neutral = operator == "∧"
    if any(part is (not neutral) for part in parts):
        return not neutral
    kept = [part for part in parts if not isinstance(part, bool)]
    if not kept:
        return neutral
    while len(kept) > 1:
        pairs = [kept[k : k + 2] for k in range(0, len(kept), 2)]
        kept = [
            pair[0] if len(pair) == 1 else {"op": operator, "left": pair[0], "right": pair[1]}
            for pair in pairs
        ]
    return kept[0]
