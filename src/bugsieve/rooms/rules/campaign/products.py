"""Tests of rules as planning tasks for other planners: a plan is a trace, none a proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from bugsieve.base.errors import UnsupportedError
from bugsieve.base.files_and_processes.files import write_atomically
from bugsieve.base.files_and_processes.unlinked_folders import make_folders
from bugsieve.rooms.rules.campaign.equipment import make_judge
from bugsieve.rooms.rules.campaign.options import RulesOptions
from bugsieve.rooms.rules.campaign.rule_subject import Bound, BoundTask
from bugsieve.rooms.rules.engine.folding import folded_automaton
from bugsieve.rooms.rules.engine.pddl import to_pddl
from bugsieve.rooms.rules.engine.product import ProductTooLargeError, compile_product
from bugsieve.rooms.rules.ltl.automaton import TooManyStatesError
from bugsieve.rooms.rules.ltl.formula import Formula, atoms_of
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.rules.obligations.obligation import obligations_of


def write_products(tasks: Sequence[Bound], options: RulesOptions, folder: Path) -> Iterator[str]:
    """Write each test as SAS and as PDDL; a line for each file, or why there is none."""
    number = 0
    for bound in tasks:
        if not isinstance(bound, BoundTask):
            raise UnsupportedError("models of timelines are no planning tasks: try --emit-nddl")
        make_folders(folder)
        judge = make_judge(bound, options.judging)
        for obligation in obligations_of(bound.rules.rules):
            about = f"{obligation.rule}: {obligation.title}" if obligation.rule else ""
            for view, formula, with_goal in judge.formulas(obligation):
                stem = folder / f"test{number}-{view}"
                reason = _written(bound, formula, stem, with_goal=with_goal)
                told = reason or f"{about or obligation.title}: {to_text(formula)}"
                yield f"{stem}: {told}"
            number += 1


def _written(bound: BoundTask, formula: Formula, stem: Path, *, with_goal: bool) -> str:
    """Write one product; a sentence if there is none."""
    conditions = {name: bound.rules.atoms[name].condition for name in atoms_of(formula)}
    start = bound.task.initial_state.tolist()
    try:
        automaton = folded_automaton(bound.task, formula, conditions, start)
        if automaton.is_empty:
            return "not written, no trace of any task satisfies it"
        product = compile_product(bound.task, automaton, conditions, with_goal=with_goal)
    except (ProductTooLargeError, TooManyStatesError) as error:
        return f"not written, {error}"
    domain, problem = to_pddl(product)
    files = {".sas": product.to_sas(), "-domain.pddl": domain, "-problem.pddl": problem}
    for suffix, text in files.items():
        data = text if isinstance(text, bytes) else text.encode()
        write_atomically(stem.with_name(stem.name + suffix), data)
    return ""
