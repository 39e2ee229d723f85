"""Random conditions mean the same to our reader, to the checker's, and to the plain simulator."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import given, settings

from bugsieve.base.errors import InputError
from bugsieve.checkers import cost
from bugsieve.tasks.grounded.conditions import parse_condition
from bugsieve.tasks.grounded.task import Task
from bugsieve.tasks.pddl.domain import check_domain
from bugsieve.tasks.pddl.reader import Document, parse
from tests.property.pddl_strategies import seeded_condition
from tests.property.strategies import seeds
from tests.reference.pddl import PddlTask, parse_task
from tests.reference.pddl_parser import parse_condition as reference_condition
from tests.reference.pddl_parser import read_expression
from tests.reference.sas import SasTask, SasVariable
from tests.unit.policies.line import as_task

STATES = 12


def sas_name(atom: str) -> str:
    predicate, *arguments = atom[1:-1].split()
    return f"Atom {predicate}({', '.join(arguments)})"


def task_over(atoms: list[str], simulated: PddlTask, random: Random) -> Task:
    """A task some of whose atoms are facts of variables, some static, and some never true."""
    fluent = [atom for atom in atoms if random.random() < 0.8] or atoms[:1]
    variables = []
    while fluent:
        group = [fluent.pop() for _ in range(min(random.randint(1, 2), len(fluent)))]
        variables.append(SasVariable("var", (*map(sas_name, group), "<none of those>")))
    last = len(variables) - 1
    sas = SasTask(False, tuple(variables), (), (0,) * len(variables), ((last, 0),), ())
    return Task(
        as_task(sas).native,
        name="random",
        objects={name: types[0] for name, types in simulated.objects.items()},
        initial_atoms=frozenset(simulated.initial_state),
    )


def refused(sentence: str, expected: list[bool]) -> str:
    """Why a condition was refused, which must not contradict its meaning."""
    if "is never true in this task" in sentence or "is ever true" in sentence:
        return "mistake"
    assert "nothing to test" in sentence
    assert set(expected) == {"holds in every state" in sentence}
    return "constant"


def check(seed: int) -> str:
    """Compare the three on one condition in some states; what it turned out to be."""
    random = Random(seed)
    text, formula, atoms = seeded_condition(seed)
    simulated = parse_task(text.domain, text.problem)
    task = task_over(atoms, simulated, random)
    data = text.domain.encode()
    vocabulary = check_domain(Document("domain", data, parse(data, "domain"))).vocabulary
    sizes = task.domain_sizes.tolist()
    states = [[random.randrange(size) for size in sizes] for _ in range(STATES)]
    meaning = reference_condition(read_expression(formula))
    expected = [simulated.holds(meaning, task.facts(state)) for state in states]
    try:
        condition = parse_condition(formula, task, vocabulary=vocabulary)
    except InputError as error:
        return refused(str(error), expected)
    assert condition.holds(states).tolist() == expected, formula
    theirs = cost._Condition(condition.text, cost._SasReader(task.to_sas()).task())
    assert [theirs.holds(tuple(state)) for state in states] == expected, condition.text
    again = parse_condition(condition.text, task)
    assert (again.text, again.program) == (condition.text, condition.program)
    return "quantified" if "?" in formula else "plain"


@given(seeds())
@settings(max_examples=300)
def test_conditions_hold_where_their_quantified_meaning_does(seed: int) -> None:
    check(seed)


def test_all_cases_occur_in_random_conditions() -> None:
    seen = Counter(check(seed) for seed in range(200))
    assert min(seen[what] for what in ("mistake", "constant", "quantified", "plain")) >= 10
