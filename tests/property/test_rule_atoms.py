"""Ground atoms of rules files hold where the conditions of their file do, read naively."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given, settings

from bugsieve.rooms.rules.file.binding import BoundRules
from bugsieve.rooms.rules.file.reading import rules_of
from bugsieve.rooms.rules.file.source import Source
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.pddl.summary import PddlTexts
from tests.depth import examples
from tests.property.pddl_strategies import DrawnAtom, PddlText, seeded_atoms
from tests.property.strategies import seeds
from tests.property.test_conditions import sas_name
from tests.property.test_pddl import load
from tests.reference.pddl import PddlTask, ground_actions, parse_task
from tests.reference.pddl_parser import read_expression
from tests.reference.rule_atoms import Atoms, Moment, ground_holds
from tests.reference.sas import SasEffect, SasOperator, SasTask, SasVariable
from tests.unit.policies.line import as_task

MOMENTS = 8


def rules_text(atoms: list[DrawnAtom]) -> str:
    """A rules file with the atoms, and a rule for all objects of each."""
    lines = ["format = 1"]
    for atom in atoms:
        declared = ", ".join(term.declared() for term in atom.parameters)
        name = f"{atom.name}({declared})" if declared else atom.name
        lines += ["[[atom]]", f'name = "{name}"', f'is = """{atom.condition}"""']
    for atom in atoms:
        used = ",".join(term.name for term in atom.parameters)
        forall = " ".join(term.declared() for term in atom.parameters)
        formula = f"G {atom.name}({used})" if used else f"G {atom.name}"
        lines += ["[[rule]]", f'id = "{atom.name}"', 'kind = "desired"', f'ltl = "{formula}"']
        lines += [f'forall = "{forall}"']
    return "\n".join(lines)


def bound(atoms: list[DrawnAtom], task: Task) -> BoundRules:
    return rules_of(Source("rules.toml", rules_text(atoms))).bind(task)


def naive_atoms(atoms: list[DrawnAtom], simulated: PddlTask) -> Atoms:
    conditions = {
        atom.name: ([term.name for term in atom.parameters], atom.condition) for atom in atoms
    }
    return Atoms(simulated, conditions)


def check(
    bound_rules: BoundRules, naive: Atoms, moment: Moment, state: list[int], did: int | None
) -> Counter[str]:
    """Compare every ground atom in one state; how many were what."""
    seen: Counter[str] = Counter()
    for name, ground in bound_rules.atoms.items():
        plain, _, arguments = name.removesuffix(")").partition("(")
        expected = naive.holds(plain, arguments.split(",") if arguments else [], moment)
        assert ground_holds(ground.condition, state, did) == expected, (name, ground)
        plain_text = read_expression(ground.pddl)
        assert naive.condition_holds(plain_text, {}, moment) == expected, (name, ground.pddl)
        kind = "folded" if isinstance(ground.condition, bool) else str(expected)
        seen[f"did {kind}" if "did " in ground.pddl else kind] += 1
    return seen


def scattered(text: PddlText, atoms: list[str], simulated: PddlTask, random: Random) -> Task:
    """A task some of whose atoms are facts, perhaps of two variables, and others static."""
    fluent = [atom for atom in atoms if random.random() < 0.8] or atoms[:1]
    fluent += [atom for atom in fluent if random.random() < 0.2]
    groups = []
    while fluent:
        groups.append([fluent.pop() for _ in range(min(random.randint(1, 2), len(fluent)))])
    variables = tuple(
        SasVariable("var", (*map(sas_name, group), "<none of those>")) for group in groups
    )
    names = [name for name in ground_names(simulated) for _ in range(random.choice((0, 1, 1, 2)))]
    effects = (SasEffect((), 0, -1, 0),)
    operators = tuple(SasOperator(name[1:-1], (), effects, 1) for name in names)
    last = len(variables) - 1
    sas = SasTask(False, variables, (), (0,) * len(variables), ((last, 0),), operators)
    return Task(
        as_task(sas).native,
        name="random",
        objects={name: types[0] for name, types in simulated.objects.items()},
        initial_atoms=frozenset(simulated.initial_state),
        pddl_texts=PddlTexts(text.domain.encode(), text.problem.encode()),
    )


def ground_names(simulated: PddlTask) -> list[str]:
    """Every action with every choice of objects."""
    return [
        f"({' '.join([name, *case.values()])})"
        for name, action in simulated.domain.actions.items()
        for case in simulated.bindings(action.parameters)
    ]


def check_scattered(seed: int) -> Counter[str]:
    random = Random(seed)
    text, atoms, ground = seeded_atoms(seed)
    simulated = parse_task(text.domain, text.problem)
    task = scattered(text, ground, simulated, random)
    rules = bound(atoms, task)
    naive = naive_atoms(atoms, simulated)
    seen: Counter[str] = Counter()
    for _ in range(MOMENTS):
        state = [random.randrange(size) for size in task.domain_sizes.tolist()]
        count = task.num_operators
        did = random.randrange(count) if count and random.random() < 0.8 else None
        action = None if did is None else task.operator_names[did]
        seen += check(rules, naive, Moment(task.facts(state), action), state, did)
    return seen


@given(seeds())
@settings(max_examples=examples(400, quick=40))
def test_ground_atoms_hold_where_their_conditions_do(seed: int) -> None:
    check_scattered(seed)


def test_all_cases_occur() -> None:
    seen: Counter[str] = Counter()
    for seed in range(40):
        seen += check_scattered(seed)
    kinds = ("folded", "True", "False", "did folded", "did True", "did False")
    assert min(seen[kind] for kind in kinds) >= 20, seen


def check_walk(seed: int) -> Counter[str]:
    """The same along a walk in a task that the translator made."""
    random = Random(seed)
    text, atoms, _ = seeded_atoms(seed)
    task = load(text)
    if not isinstance(task, Task):
        return Counter()
    simulated = parse_task(text.domain, text.problem)
    rules, naive = bound(atoms, task), naive_atoms(atoms, simulated)
    state, moment = task.initial_state, Moment(simulated.initial_state, None)
    seen = check(rules, naive, moment, state.tolist(), None)
    for _ in range(MOMENTS):
        operators = task.applicable(state).operators.tolist()
        if not operators:
            break
        did = random.choice(operators)
        name = task.operator_names[did]
        assert name in ground_actions(simulated, moment.state)
        state = task.successors(state, [did])[0]
        moment = Moment(simulated.apply(moment.state, name), name)
        seen += check(rules, naive, moment, state.tolist(), did)
    return seen


def test_so_they_do_along_walks_in_translated_tasks() -> None:
    seen: Counter[str] = Counter()
    for seed in range(examples(60, quick=6)):
        seen += check_walk(seed)
    assert min(seen["True"], seen["False"], seen["folded"]) > 0, seen
