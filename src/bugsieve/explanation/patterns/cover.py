"""The fewest conditions that explain blamed decisions of one schema, by greedy cover.

A set of at most three features explains the decisions that have them all. It has a counterexample
in a state where the policy did right although some action of the schema fits the set. Each action
that fits would have been wrong there. A policy with this pattern had done one of them. Where one
that fits is right, too, nothing follows, for a pattern may be wrong only sometimes.

For the first decision that nothing explains yet, all sets of its features are tried, small ones
first. Of those without a counterexample, the one that explains most is kept. Sets that explain no
more than one kept before are left out with all that contain them.

Decisions are bits of whole numbers. Those of right states stand in fields, one per state, with a
free bit above each: adding a field full of ones sets this bit where the field has any.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bugsieve.explanation.patterns.features import Feature

MOST_FEATURES = 3
MOST_SETS = 500_000
"""The most sets of features tried for one schema; decisions left then stay unexplained."""


class Option(NamedTuple):
    """An action of the schema in a state where the policy did right."""

    features: Collection[Feature]
    is_right: bool
    """True if it would have been right, too."""


@dataclass(frozen=True)
class Explained:
    """Decisions that one set of features explains; without one, a single decision."""

    features: tuple[Feature, ...] | None
    decisions: tuple[int, ...]
    """By their numbers; those that an earlier set explains are left out."""


class _Set(NamedTuple):
    """Features by their numbers, the decisions that have them, and the options."""

    features: tuple[int, ...]
    covered: int
    fits: int


class Cover:
    """Explains decisions of one schema, of which no two are of one state."""

    def __init__(
        self,
        wrong: Sequence[Collection[Feature]],
        right: Iterable[Sequence[Option]],
        *,
        most_sets: int = MOST_SETS,
    ) -> None:
        """`wrong` has the features of blamed decisions, `right` the options of right states."""
        self._wrong = wrong
        self._left = most_sets
        self._explains = _Masks()
        for number, features in enumerate(wrong):
            self._explains.add(features, number)
        self._fits = _Masks()
        self._ones = self._guards = self._right = 0
        self._add_fields(right)

    def _add_fields(self, right: Iterable[Sequence[Option]]) -> None:
        ones, guards, good = [], [], []
        place = 0
        for options in right:
            for option in options:
                self._fits.add(option.features, place)
                ones.append(place)
                good += [place] if option.is_right else []
                place += 1
            guards.append(place)
            place += 1
        self._ones, self._guards, self._right = map(_mask, (ones, guards, good))

    def explained(self) -> Iterator[Explained]:
        """The sets in the order in which they are found, until all is explained or too much was
        looked at."""
        uncovered = (1 << len(self._wrong)) - 1
        while uncovered:
            seed = uncovered & -uncovered
            found = self._best(seed.bit_length() - 1, uncovered)
            if self._left < 0:  # not all sets were looked at
                return
            features, covered = found or (None, seed)
            uncovered &= ~covered
            yield Explained(features, tuple(_numbers(covered)))

    def _best(self, seed: int, uncovered: int) -> tuple[tuple[Feature, ...], int] | None:
        """The best set for a decision and what it explains; None if that is this one alone."""
        features = self._distinct(seed, uncovered)
        best: _Set | None = None
        layer, most = [_Set((), uncovered, self._ones)], 1
        for size in range(MOST_FEATURES + 1):
            larger = []
            for one in layer if not size else self._extended(layer, features):
                self._left -= 1
                if self._left < 0:
                    return None
                if one.covered.bit_count() <= most:
                    continue
                if self._is_consistent(one.fits):
                    best, most = one, one.covered.bit_count()
                elif size < MOST_FEATURES:
                    larger.append(one)
            layer = [one for one in larger if one.covered.bit_count() > most]
        return best and (tuple(features[n].feature for n in best.features), best.covered)

    def _distinct(self, seed: int, uncovered: int) -> list[_Candidate]:
        """The features of a decision that tell some from others, of equal ones the first."""
        found = {(uncovered, self._ones): _Candidate(Feature(0, ""), 0, 0)}
        for feature in sorted(self._wrong[seed]):
            masks = self._explains.of(feature) & uncovered, self._fits.of(feature)
            found.setdefault(masks, _Candidate(feature, *masks))
        return [*found.values()][1:]

    @staticmethod
    def _extended(layer: Iterable[_Set], features: Sequence[_Candidate]) -> Iterator[_Set]:
        for one in layer:
            first = one.features[-1] + 1 if one.features else 0
            for number in range(first, len(features)):
                _, covers, fits = features[number]
                yield _Set((*one.features, number), one.covered & covers, one.fits & fits)

    def _is_consistent(self, fits: int) -> bool:
        """Return true if options that fit are in no state all wrong."""
        return self._has_any(fits) == self._has_any(fits & self._right)

    def _has_any(self, options: int) -> int:
        """The guards of the fields that hold one of the options."""
        return (options + self._ones) & self._guards


class _Candidate(NamedTuple):
    feature: Feature
    covers: int
    fits: int


class _Masks:
    """The places of each feature as bits."""

    def __init__(self) -> None:
        self._places: dict[Feature, list[int]] = {}
        self._made: dict[Feature, int] = {}

    def add(self, features: Iterable[Feature], place: int) -> None:
        for feature in features:
            self._places.setdefault(feature, []).append(place)

    def of(self, feature: Feature) -> int:
        if feature not in self._made:
            self._made[feature] = _mask(self._places.get(feature, []))
        return self._made[feature]


def _mask(places: Sequence[int]) -> int:
    content = bytearray((places[-1] if places else 0) // 8 + 1)
    for place in places:
        content[place // 8] |= 1 << place % 8
    return int.from_bytes(content, "little")


def _numbers(mask: int) -> Iterator[int]:
    """The places of the bits."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
