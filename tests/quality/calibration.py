"""Whether the limits of measurements hold, on tasks and policies whose truth is known exactly.

Campaigns are simulated by drawing tests from the exact distribution; the figures are those of the
real code. `python -m tests.quality.calibration` prints a table of 1000 campaigns for each pair,
with two ways that promise the same and do not keep it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from bugsieve.pipeline.measuring.binomial import at_least, at_most
from bugsieve.pipeline.measuring.figures import SampledTest, figures_of
from tests.quality.exact_sample import Pair

TESTS = 1600
PROMISED = 0.93
"""The share of campaigns in which a figure must hold at all looks; it promises 0.95."""

_BLOCKS = (("blocks", 4),)
PAIRS = (
    Pair("blocksworld", 1, _BLOCKS, "greedy:hff"),
    Pair("blocksworld", 1, _BLOCKS, "random:3"),
    Pair("gripper", 1, (("balls", 3),), "random:3"),
    Pair("ferry", 1, (("cars", 2),), "hill-climbing:hadd"),
    Pair("transport", 1, (("packages", 1),), "hill-climbing:hadd"),
    Pair("blocksworld", 1, _BLOCKS, "optimal", planted=20),
    Pair("miconic", 1, (("passengers", 3),), "hill-climbing:hadd"),
    Pair("storage", 1, (), "random:3"),
    Pair("storage", 1, (), "optimal", planted=10),
)
"""No bugs: transport. Causes of less than 0.5 % of all tests: the last four."""

Holds = Callable[[Pair, Sequence[SampledTest]], bool]


@dataclass(frozen=True)
class Calibration:
    """In which share of the campaigns figures held at all looks, and how low the risk was."""

    share: float
    risk: float
    limits: tuple[float, ...]
    """On the risk after all tests, of campaigns in which the truth is below 0.001."""

    @property
    def median_limit(self) -> float:
        return median(self.limits) if self.limits else 0.0


def campaigns(pair: Pair, count: int, *, seed: int = 0) -> list[list[SampledTest]]:
    """What the tests of some campaigns show."""
    rng = np.random.default_rng([seed, PAIRS.index(pair)])
    classes = list(pair.classes)
    chances = np.array([pair.classes[shown] for shown in classes])
    drawn = rng.choice(len(classes), size=(count, TESTS), p=chances / chances.sum())
    return [[classes[number] for number in row] for row in drawn.tolist()]


def calibrated(pair: Pair, made: Sequence[Sequence[SampledTest]]) -> Calibration:
    """How the figures of these campaigns fare."""
    shares, risks, limits = 0, 0, []
    for tests in made:
        looks = figures_of(tests).looks
        shares += all(look.share.low <= pair.share <= look.share.high for look in looks)
        truths = [pair.risk(_seen(tests[: look.tests])) for look in looks]
        risks += all(t <= look.risk.limit for t, look in zip(truths, looks, strict=True))
        limits += [looks[-1].risk.limit] if truths[-1] < 0.001 else []
    return Calibration(shares / len(made), risks / len(made), tuple(limits))


def kept(pair: Pair, made: Sequence[Sequence[SampledTest]], holds: Holds) -> float:
    """In which share of the campaigns another way keeps what it promises."""
    return sum(holds(pair, tests) for tests in made) / len(made)


def plain_interval(pair: Pair, tests: Sequence[SampledTest]) -> bool:
    """The usual 95 % interval of the share, read after every ten tests."""
    bugs = np.cumsum([bool(shown.causes) for shown in tests]).tolist()
    return all(
        min(tail(bugs[count - 1], count, pair.share) for tail in (at_least, at_most)) >= 0.025
        for count in range(10, len(tests) + 1, 10)
    )


def normal_interval(pair: Pair, tests: Sequence[SampledTest]) -> bool:
    """The usual 95 % interval around Good and Turing's estimate (Esty, 1983), at our looks."""
    for count in (100, 200, 400, 800, 1600):
        causes = Counter(cause for shown in tests[:count] for cause in shown.causes)
        times = Counter(causes.values())
        once = times[1] / count
        spread = math.sqrt(max(0.0, once * (1 - once) + 2 * times[2] / count) / count)
        if pair.risk(_seen(tests[:count])) > once + 1.96 * spread:
            return False
    return True


def _seen(tests: Sequence[SampledTest]) -> set[str]:
    return {cause for shown in tests for cause in shown.causes}


def main(count: int = 1000) -> None:
    """Print how often everything held."""
    heads = ("share held", "risk held", "median limit", "plain interval", "normal interval")
    print(f"{'pair':42}  true share  causes  rarest   {'  '.join(heads)}")
    for pair in PAIRS:
        made = campaigns(pair, count)
        found = calibrated(pair, made)
        others = [kept(pair, made, holds) for holds in (plain_interval, normal_interval)]
        causes = [chance for shown, chance in pair.classes.items() if shown.causes]
        print(
            f"{pair!s:42}  {pair.share:10.5f}  {len(causes):6}  {min(causes, default=0):.5f}  "
            f"{found.share:10.3f}  {found.risk:9.3f}  {found.median_limit:12.4f}  "
            f"{others[0]:14.3f}  {others[1]:15.3f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
