"""Every generator: the same text for ever, well-formed, and as large as it was asked to be."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import fields

import pytest

from bugsieve.rooms.zoo.domains import DOMAINS, generate
from tests.reference.pddl import PddlTask, parse_task
from tests.reference.pddl_syntax import And, Atom
from tests.unit.domains.sizes import SIZES, Size

SEEDS = range(20)

DIGESTS = {
    "blocksworld": "cc33ae23eb3f0e04",
    "childsnack": "97c71a08ae465227",
    "ferry": "71f643bbe020f8d3",
    "floortile": "3e9b83bc01a1d701",
    "gripper": "5318d24ee86eeb2f",
    "matching-blocksworld": "4319be0961272684",
    "miconic": "16a2630e059e9b93",
    "rovers": "06652fd8b51bfdc3",
    "satellite": "6f6d9e4d5c203c22",
    "scanalyzer": "beb646d91fa4f544",
    "sokoban": "3bd7847aa9ec5e1b",
    "spanner": "fb66959a7322ccfa",
    "storage": "2b59f2009051f28c",
    "transport": "6733600c23da1b57",
    "visitall": "11c2c0f6c2a859f4",
}


def drawn(domain: str, seed: int = 0, **parameters: int | str) -> PddlTask:
    task = generate(domain, seed=seed, **parameters)
    return parse_task(task.domain, task.problem)


def atoms(task: PddlTask, predicate: str) -> set[tuple[str, ...]]:
    """Arguments of the initial atoms of a predicate."""
    return {atom.terms for atom in task.problem.initial if atom.name == predicate}


def body(problem: str) -> str:
    """All that follows the names of problem and domain."""
    return problem.partition("(:objects")[2]


def goals(task: PddlTask) -> list[Atom]:
    assert isinstance(task.problem.goal, And)
    parts = [part for part in task.problem.goal.parts if isinstance(part, Atom)]
    assert len(parts) == len(task.problem.goal.parts) == len(set(parts))
    return parts


@pytest.mark.parametrize("domain", DOMAINS)
def test_texts_are_pinned(domain: str) -> None:
    """A seed that someone wrote down must give the same task on any machine, later too."""
    texts = "".join(generate(domain, seed=seed).problem for seed in SEEDS)
    assert hashlib.sha256(texts.encode()).hexdigest()[:16] == DIGESTS[domain]


@pytest.mark.parametrize("domain", DOMAINS)
def test_seeds_differ(domain: str) -> None:
    bodies = {body(generate(domain, seed=seed).problem) for seed in SEEDS}
    few = {"gripper": 3, "spanner": 5, "visitall": 5, "childsnack": 5, "storage": 5}
    assert len(bodies) >= few.get(domain, 15)


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size.domain)
def test_objects_are_as_many_as_asked_for(size: Size) -> None:
    for seed in SEEDS:
        task = drawn(size.domain, seed, **size.parameters)
        counts = Counter(types[0] for types in task.objects.values())
        assert counts == size.objects


OTHER_VALUES: dict[str, int | str] = {"analysis": "all", "cycle": 4, "visit": 50}
BOUNDED_BY_OTHERS = ("nuts", "pointings")


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_parameter_has_an_effect(domain: str) -> None:
    """Changing one parameter changes the problem itself, not only its name."""
    plain = [body(generate(domain, seed=seed).problem) for seed in range(5)]
    for option in fields(DOMAINS[domain].Options):
        if isinstance(option.default, bool):
            other: int | str = not option.default
        elif option.name in OTHER_VALUES:
            other = OTHER_VALUES[option.name]
        else:
            other = int(str(option.default)) + (-1 if option.name in BOUNDED_BY_OTHERS else 1)
        parameters = {option.name: other}
        varied = [body(generate(domain, seed=seed, **parameters).problem) for seed in range(5)]
        assert plain != varied, option.name


@pytest.mark.parametrize("size", SIZES, ids=lambda size: size.domain)
def test_goals_are_not_true_at_once(size: Size) -> None:
    for seed in SEEDS:
        task = drawn(size.domain, seed, **size.parameters)
        assert goals(task)
        lone_block = size.parameters.get("blocks") == 1
        assert task.holds_goal(task.initial_state) == lone_block


@pytest.mark.parametrize(
    "domain", ["floortile", "scanalyzer", "sokoban", "transport"], ids=lambda name: name
)
def test_domains_with_costs_minimise_them(domain: str) -> None:
    assert drawn(domain).problem.minimises_cost


@pytest.mark.parametrize("seed", SEEDS)
def test_roads_connect_all_places_both_ways(seed: int) -> None:
    task = drawn("transport", seed, nodes=12, degree=2)
    roads = atoms(task, "road")
    assert len(roads) == 24
    assert roads == {(there, here) for here, there in roads}
    lengths = {atom.terms: n for atom, n in task.problem.values.items() if atom.terms}
    assert set(lengths) == roads
    assert all(lengths[here, there] == lengths[there, here] > 0 for here, there in roads)
    seen = {"node1"}
    for _ in range(12):
        seen |= {there for here, there in roads if here in seen}
    assert len(seen) == 12


def test_degree_is_bounded_by_the_number_of_pairs() -> None:
    assert len(atoms(drawn("transport", nodes=4, degree=100), "road")) == 12


def test_capacity_of_every_vehicle() -> None:
    task = drawn("transport", vehicles=3, capacity=4)
    assert {room for _, room in atoms(task, "capacity")} == {"capacity4"}
    assert len(atoms(task, "capacity-predecessor")) == 4


def test_balls_share_one_journey_unless_scattered() -> None:
    together = [drawn("gripper", seed, balls=5, rooms=4) for seed in SEEDS]
    assert all(len({room for _, room in atoms(task, "at")}) == 1 for task in together)
    assert all(len({goal.terms[1] for goal in goals(task)}) == 1 for task in together)
    apart = drawn("gripper", balls=50, rooms=4, scattered=True)
    assert len({room for _, room in atoms(apart, "at")}) == 4


def test_allergic_children_find_what_they_need() -> None:
    for seed in SEEDS:
        task = drawn("childsnack", seed, children=6, allergic=4)
        for predicate in ("allergic_gluten", "no_gluten_bread", "no_gluten_content"):
            assert len(atoms(task, predicate)) == 4
        assert len(atoms(task, "not_allergic_gluten")) == 2


def test_places_to_visit() -> None:
    for seed in SEEDS:
        task = drawn("visitall", seed, width=5, height=4, missing=3, visit=50)
        ((start,),) = atoms(task, "at-robot")
        wanted = {goal.terms[0] for goal in goals(task)}
        assert len(wanted) == 8  # half of the sixteen places beside the start
        assert start not in wanted


def test_images_and_pointings() -> None:
    task = drawn("satellite", satellites=3, instruments=3, images=5, pointings=2)
    names = Counter(goal.name for goal in goals(task))
    assert names == {"have_image": 5, "pointing": 2}
    assert {mode for _, mode in atoms(task, "supports")} == {"mode1", "mode2"}
    assert {satellite for _, satellite in atoms(task, "on_board")} == {
        "satellite1",
        "satellite2",
        "satellite3",
    }


def test_goals_of_rovers() -> None:
    for seed in SEEDS:
        task = drawn("rovers", seed, waypoints=5, soils=2, rocks=3, images=4, cameras=2)
        assert Counter(goal.name for goal in goals(task)) == {
            "communicated_soil_data": 2,
            "communicated_rock_data": 3,
            "communicated_image_data": 4,
        }
        visible = atoms(task, "visible")
        assert all((a, b) in visible for _, a, b in atoms(task, "can_traverse"))


@pytest.mark.parametrize(("analysis", "number"), [("all", 9), ("lane", 3), ("single", 1)])
def test_analysing_cycles(analysis: str, number: int) -> None:
    task = drawn("scanalyzer", size=3, analysis=analysis)
    assert len(atoms(task, "cycle-2")) == 9
    analysing = atoms(task, "cycle-2-with-analysis")
    assert len(analysing) == number
    assert analysing <= atoms(task, "cycle-2")


def test_floor_is_chequered() -> None:
    for seed in SEEDS:
        colors = {goal.terms[0]: goal.terms[1] for goal in goals(drawn("floortile", seed, rows=3))}
        assert len(colors) == 9
        for row in range(1, 4):
            for column in range(1, 3):
                assert colors[f"tile_{row}-{column}"] != colors[f"tile_{row}-{column + 1}"]
                assert colors[f"tile_{column}-{row}"] != colors[f"tile_{column + 1}-{row}"]


def test_more_pulls_take_stones_farther() -> None:
    def off_goal(pulls: int) -> int:
        tasks = [drawn("sokoban", seed, stones=3, pulls=pulls, rows=7) for seed in SEEDS]
        return sum(3 - len(atoms(task, "at-goal")) for task in tasks)

    assert off_goal(1) == 20
    assert off_goal(100) > 50


def test_depots_are_sent_no_more_than_they_hold() -> None:
    for seed in SEEDS:
        task = drawn("storage", seed, crates=12, depots=3)
        assert Counter(goal.terms[1] for goal in goals(task)) == {
            "depot0": 4,
            "depot1": 4,
            "depot2": 4,
        }
        containers = Counter(place for _, place in atoms(task, "in") if "container" in place)
        assert containers == dict.fromkeys(("container0", "container1", "container2"), 8)
