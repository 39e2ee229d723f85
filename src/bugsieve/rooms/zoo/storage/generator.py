"""Storage: hoists carry crates from containers into depots without walling themselves in."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.grids import neighbours, rectangle
from bugsieve.rooms.zoo.options import GeneratorOptions, count, require
from bugsieve.rooms.zoo.problems import PddlProblem

SUMMARY = "hoists carry crates from containers into depots"

CRATES_PER_CONTAINER = 4
MOST_PLACES = 10_000


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task; depots and containers all open to one loading area."""

    crates: int = count(2, "number of crates, at most one for each place in the depots")
    hoists: int = count(1, "number of hoists, at most one for each place in the depots")
    depots: int = count(1, "number of depots", maximum=100)
    rows: int = count(2, "rows of places in a depot", maximum=100)
    columns: int = count(2, "places in a row", maximum=100)

    def _check_together(self) -> None:
        places = self.depots * self.rows * self.columns
        require(
            places <= MOST_PLACES,
            f"depots times rows times columns must be at most {MOST_PLACES}, got {places}",
        )
        self._at_most("crates", places, "the number of places")
        self._at_most("hoists", places, "the number of places")


@dataclass(frozen=True)
class _Area:
    """A storage area: in a depot (or container), open to its neighbours."""

    name: str
    place: str
    neighbours: tuple[str, ...]


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable by filling each depot from its far end.

    The hoists nearest to an entrance leave first; in the loading area there is room for all. A
    crate is then put on the free place farthest from the entrance, from a place nearer to it,
    and the place at the entrance is filled from outside. No depot is sent more than it holds.
    """
    shelves = [area for number in range(options.depots) for area in _depot(number, options, rng)]
    holders = _containers(options.crates)
    areas = [*shelves, *holders]
    crates = {f"crate{number}": holder for number, holder in enumerate(holders)}
    targets = rng.sample([area.place for area in shelves], len(crates))
    standing = rng.sample(shelves, options.hoists)
    hoists = {f"hoist{number}": area for number, area in enumerate(standing)}
    init = [f"(in {area.name} {area.place})" for area in areas]
    init += [f"(connected {area.name} {other})" for area in areas for other in area.neighbours]
    init += [f"(connected loadarea {a.name})" for a in areas if "loadarea" in a.neighbours]
    taken = {area.name for area in standing}
    init += [f"(clear {area.name})" for area in shelves if area.name not in taken]
    for crate, area in crates.items():
        init += [f"(on {crate} {area.name})", f"(in {crate} {area.place})"]
    for hoist, area in hoists.items():
        init += [f"(at {hoist} {area.name})", f"(available {hoist})"]
    return PddlProblem(
        objects={
            "storearea": [area.name for area in areas],
            "transitarea": ["loadarea"],
            "hoist": list(hoists),
            "crate": list(crates),
            "container": list(dict.fromkeys(area.place for area in holders)),
            "depot": list(dict.fromkeys(area.place for area in shelves)),
        },
        init=init,
        goal=[f"(in {crate} {depot})" for crate, depot in zip(crates, targets, strict=True)],
    )


def _depot(number: int, options: Options, rng: Stream) -> list[_Area]:
    """A rectangle of areas, one of which opens to the loading area."""
    cells = rectangle(options.rows, options.columns)
    names = {cell: f"depot{number}-{cell[0] + 1}-{cell[1] + 1}" for cell in cells}
    entrance = rng.choice(cells)
    areas = []
    for cell in cells:
        near = [names[other] for _, other in neighbours(cell, names)]
        near += ["loadarea"] if cell == entrance else []
        areas.append(_Area(names[cell], f"depot{number}", tuple(near)))
    return areas


def _containers(crates: int) -> list[_Area]:
    """One area for each crate, each open to the loading area."""
    areas = []
    for number in range(crates):
        container, slot = divmod(number, CRATES_PER_CONTAINER)
        name = f"container-{container}-{slot}"
        areas.append(_Area(name, f"container{container}", ("loadarea",)))
    return areas
