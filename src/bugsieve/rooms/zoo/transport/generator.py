"""Transport: vehicles of limited capacity deliver packages over a road network."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise
from math import isqrt

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, count, require
from bugsieve.rooms.zoo.problems import PddlProblem, numbered

SUMMARY = "vehicles of limited capacity deliver packages (action costs)"

MAP_SIDE = 100
MOST_ROAD_ENDS = 100_000

Point = tuple[int, int]
Road = tuple[int, int]


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task; road lengths are distances on a square map of side 100."""

    vehicles: int = count(2, "number of vehicles")
    packages: int = count(2, "number of packages")
    nodes: int = count(5, "number of places", minimum=2)
    capacity: int = count(2, "packages that fit into each vehicle")
    degree: int = count(3, "roads per place on average, if there are that many pairs")

    def _check_together(self) -> None:
        ends = self.nodes * min(self.degree, self.nodes - 1)
        require(
            ends <= MOST_ROAD_ENDS,
            f"nodes times degree must be at most {MOST_ROAD_ENDS}, got {ends}",
        )


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: roads lead both ways and connect all places, and every vehicle holds a package."""
    nodes = numbered("node", options.nodes)
    vehicles = numbered("truck", options.vehicles)
    packages = numbered("package", options.packages)
    capacities = [f"capacity{number}" for number in range(options.capacity + 1)]
    init = [f"(capacity-predecessor {less} {more})" for less, more in pairwise(capacities)]
    init += _road_atoms(nodes, options.degree, rng)
    for vehicle in vehicles:
        init += [f"(at {vehicle} {rng.choice(nodes)})", f"(capacity {vehicle} {capacities[-1]})"]
    goal = []
    for package in packages:
        first, last = rng.sample(nodes, 2)
        init.append(f"(at {package} {first})")
        goal.append(f"(at {package} {last})")
    return PddlProblem(
        objects={
            "location": nodes,
            "vehicle": vehicles,
            "package": packages,
            "capacity-number": capacities,
        },
        init=init,
        goal=goal,
        has_costs=True,
    )


def _road_atoms(nodes: list[str], degree: int, rng: Stream) -> list[str]:
    places = rng.sample(range(MAP_SIDE * MAP_SIDE), len(nodes))
    points = [divmod(place, MAP_SIDE) for place in places]
    atoms = []
    for road in _roads(points, degree):
        length = _length(points, road)
        for here, there in (road, road[::-1]):
            atoms.append(f"(road {nodes[here]} {nodes[there]})")
            atoms.append(f"(= (road-length {nodes[here]} {nodes[there]}) {length})")
    return atoms


def _roads(points: list[Point], degree: int) -> list[Road]:
    """Each place is joined to the nearest one before it; then come the shortest other roads."""
    tree = {
        (min(range(new), key=lambda old: (_length(points, (old, new)), old)), new)
        for new in range(1, len(points))
    }
    others = [road for road in combinations(range(len(points)), 2) if road not in tree]
    others.sort(key=lambda road: (_length(points, road), road))
    more = max(0, degree * len(points) // 2 - len(tree))
    return sorted([*tree, *others[:more]])


def _length(points: list[Point], road: Road) -> int:
    """The distance rounded up; in integers, so that every machine agrees."""
    (x, y), (other_x, other_y) = points[road[0]], points[road[1]]
    return 1 + isqrt((x - other_x) ** 2 + (y - other_y) ** 2 - 1)
