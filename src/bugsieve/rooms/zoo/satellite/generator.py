"""Satellite: satellites turn, switch and calibrate instruments, and take images."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, count
from bugsieve.rooms.zoo.problems import PddlProblem, numbered

SUMMARY = "satellites calibrate instruments and take images"


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task; an instrument has one calibration target and some of the modes."""

    satellites: int = count(1, "number of satellites")
    instruments: int = count(2, "number of instruments, at least one for each satellite")
    modes: int = count(2, "number of image modes")
    directions: int = count(5, "number of directions", minimum=2)
    images: int = count(3, "number of images to take")
    pointings: int = count(1, "number of satellites whose last direction is given", minimum=0)

    def _check_together(self) -> None:
        self._at_least_as_many("instruments", self.satellites, "satellites")
        self._at_most("images", self.directions * self.modes, "directions times modes")
        self._at_most("pointings", self.satellites, "the number of satellites")


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: each mode is supported by some instrument, and each of them can be calibrated."""
    satellites = numbered("satellite", options.satellites)
    instruments = numbered("instrument", options.instruments)
    modes = numbered("mode", options.modes)
    directions = numbered("direction", options.directions)
    init = []
    for number, instrument in enumerate(instruments):
        # The first ones go to different satellites, so that none is without an instrument.
        home = satellites[number] if number < len(satellites) else rng.choice(satellites)
        init.append(f"(on_board {instrument} {home})")
        init.append(f"(calibration_target {instrument} {rng.choice(directions)})")
    for instrument, mode in _supported(instruments, modes, rng):
        init.append(f"(supports {instrument} {mode})")
    for satellite in satellites:
        init.append(f"(power_avail {satellite})")
        init.append(f"(pointing {satellite} {rng.choice(directions)})")
    return PddlProblem(
        objects={
            "satellite": satellites,
            "instrument": instruments,
            "mode": modes,
            "direction": directions,
        },
        init=init,
        goal=[
            *_image_goals(directions, modes, options.images, rng),
            *_pointing_goals(satellites, directions, options.pointings, rng),
        ],
    )


def _supported(instruments: list[str], modes: list[str], rng: Stream) -> list[tuple[str, str]]:
    """Each mode has one sure instrument, and each instrument one sure mode; others by chance."""
    sure = {(rng.choice(instruments), mode) for mode in modes}
    sure |= {(instrument, rng.choice(modes)) for instrument in instruments}
    return [pair for pair in product(instruments, modes) if rng.integer(0, 3) == 0 or pair in sure]


def _image_goals(directions: list[str], modes: list[str], images: int, rng: Stream) -> list[str]:
    wanted = rng.sample(list(product(directions, modes)), images)
    return [f"(have_image {direction} {mode})" for direction, mode in sorted(wanted)]


def _pointing_goals(
    satellites: list[str], directions: list[str], pointings: int, rng: Stream
) -> list[str]:
    chosen = rng.sample(satellites, pointings)
    return [f"(pointing {satellite} {rng.choice(directions)})" for satellite in sorted(chosen)]
