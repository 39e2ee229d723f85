"""Rovers: planetary rovers sample soil and rock, take images and send the data to a lander."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, product

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, count, require
from bugsieve.rooms.zoo.problems import PddlProblem, numbered

SUMMARY = "rovers take samples and images and send the data to a lander"

MODES = ("colour", "high_res", "low_res")

Path = tuple[str, str]


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task and number of goals of each kind."""

    rovers: int = count(2, "number of rovers, each with one store", maximum=100)
    waypoints: int = count(4, "number of waypoints", minimum=2, maximum=100)
    objectives: int = count(2, "number of things to be photographed")
    cameras: int = count(1, "number of cameras, on random rovers")
    soils: int = count(1, "soil samples to be analysed, at most one a waypoint", minimum=0)
    rocks: int = count(1, "rock samples to be analysed, at most one a waypoint", minimum=0)
    images: int = count(1, "images to be taken, at most three of an objective", minimum=0)

    def _check_together(self) -> None:
        self._at_most("soils", self.waypoints, "the number of waypoints")
        self._at_most("rocks", self.waypoints, "the number of waypoints")
        self._at_most("images", len(MODES) * self.objectives, "three times the objectives")
        require(
            self.soils + self.rocks + self.images > 0,
            "soils, rocks and images are all 0, which leaves nothing to do",
        )


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: every rover can drive to every waypoint, and some rover is fit for each goal."""
    rovers = numbered("rover", options.rovers)
    waypoints = numbered("waypoint", options.waypoints)
    objectives = numbered("objective", options.objectives)
    cameras = numbered("camera", options.cameras)
    sampling, sampling_goals = _samples(options, rovers, waypoints, rng)
    imaging = _imaging(cameras, rovers, objectives, waypoints, rng)
    images = sorted(rng.sample(list(product(objectives, MODES)), options.images))
    return PddlProblem(
        objects={
            "lander": ["general"],
            "rover": rovers,
            "store": [f"{rover}store" for rover in rovers],
            "waypoint": waypoints,
            "camera": cameras,
            "mode": MODES,
            "objective": objectives,
        },
        init=[*_terrain(rovers, waypoints, rng), *sampling, *imaging],
        goal=[*sampling_goals, *(f"(communicated_image_data {o} {m})" for o, m in images)],
    )


def _terrain(rovers: list[str], waypoints: list[str], rng: Stream) -> list[str]:
    """The places of all things, what is seen from where, and the ways of each rover."""
    pairs = list(combinations(waypoints, 2))
    visible = _with_some_of(_tree(waypoints, pairs, rng), pairs, rng)
    atoms = ["(channel_free general)", f"(at_lander general {rng.choice(waypoints)})"]
    atoms += [f"(visible {a} {b})" for path in visible for a, b in (path, path[::-1])]
    for rover in rovers:
        store = f"{rover}store"
        atoms += [f"(at {rover} {rng.choice(waypoints)})", f"(available {rover})"]
        atoms += [f"(store_of {store} {rover})", f"(empty {store})"]
        paths = _with_some_of(_tree(waypoints, visible, rng), visible, rng)
        atoms += [f"(can_traverse {rover} {a} {b})" for p in paths for a, b in (p, p[::-1])]
    return atoms


def _samples(
    options: Options, rovers: list[str], waypoints: list[str], rng: Stream
) -> tuple[list[str], list[str]]:
    """Initial atoms and goals; at least one rover is equipped for each kind of sample."""
    init, goal = [], []
    for kind, number in (("soil", options.soils), ("rock", options.rocks)):
        for rover in _some(rovers, rng):
            init.append(f"(equipped_for_{kind}_analysis {rover})")
        for waypoint in sorted(rng.sample(waypoints, number)):
            init.append(f"(at_{kind}_sample {waypoint})")
            goal.append(f"(communicated_{kind}_data {waypoint})")
    return init, goal


def _imaging(
    cameras: list[str],
    rovers: list[str],
    objectives: list[str],
    waypoints: list[str],
    rng: Stream,
) -> list[str]:
    """Each mode has a camera, each camera a target, and each objective is seen from somewhere."""
    atoms = []
    bearers = {camera: rng.choice(rovers) for camera in cameras}
    sure = {(rng.choice(cameras), mode) for mode in MODES}
    for camera, rover in bearers.items():
        atoms.append(f"(on_board {camera} {rover})")
        atoms.append(f"(calibration_target {camera} {rng.choice(objectives)})")
        supported = set(_some(list(MODES), rng))
        modes = [mode for mode in MODES if mode in supported or (camera, mode) in sure]
        atoms += [f"(supports {camera} {mode})" for mode in modes]
    bearing = set(bearers.values())
    atoms += [f"(equipped_for_imaging {rover})" for rover in rovers if rover in bearing]
    for objective in objectives:
        atoms += [f"(visible_from {objective} {place})" for place in _some(waypoints, rng)]
    return atoms


def _some(items: list[str], rng: Stream) -> list[str]:
    """One or more of the items, half of them on average."""
    sure = rng.choice(items)
    return [item for item in items if rng.integer(0, 1) or item == sure]


def _with_some_of(sure: set[Path], paths: list[Path], rng: Stream) -> list[Path]:
    """The sure paths and about a third of the others."""
    return [path for path in paths if rng.integer(0, 2) == 0 or path in sure]


def _tree(waypoints: list[str], paths: list[Path], rng: Stream) -> set[Path]:
    """A random spanning tree out of the given paths, which connect all waypoints."""
    tree = set()
    group = {waypoint: {waypoint} for waypoint in waypoints}
    for a, b in rng.sample(paths, len(paths)):
        if group[a] is not group[b]:
            tree.add((a, b))
            group[a] |= group[b]
            for waypoint in group[b]:
                group[waypoint] = group[a]
    return tree
