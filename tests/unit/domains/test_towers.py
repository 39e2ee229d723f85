"""Towers are drawn uniformly; compared with a plain enumeration."""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.towers import random_rearrangement, random_towers

Towers = frozenset[tuple[str, "str | None"]]


def all_towers(blocks: str) -> set[Towers]:
    """Cut every row of blocks into towers in every way."""
    found = set()
    for row in permutations(blocks):
        for cuts in product((False, True), repeat=len(row) - 1):
            below = [None, *(None if cut else row[i] for i, cut in enumerate(cuts))]
            found.add(frozenset(zip(row, below, strict=True)))
    return found


def test_every_configuration_is_equally_likely() -> None:
    expected = all_towers("abc")
    assert len(expected) == 13
    rng = Stream(0)
    counts = Counter(frozenset(random_towers(list("abc"), rng).items()) for _ in range(13_000))
    assert set(counts) == expected
    squared = sum((count - 1_000) ** 2 / 1_000 for count in counts.values())
    assert squared < 36  # chi-squared, 12 degrees of freedom: p is about 0.0003


def test_all_configurations_of_four_blocks_occur() -> None:
    rng = Stream(1)
    drawn = {frozenset(random_towers(list("abcd"), rng).items()) for _ in range(2_000)}
    assert drawn == all_towers("abcd")
    assert len(drawn) == 73


def test_initial_atoms_describe_one_configuration() -> None:
    blocks = [f"b{n}" for n in range(30)]
    for seed in range(20):
        init, goal = random_rearrangement(blocks, Stream(seed), on_table="ontable")
        words = [atom.strip("()").split() for atom in init]
        below = {
            block: rest[0] if rest else None for name, block, *rest in words if name != "clear"
        }
        clear = {block for name, block, *_ in words if name == "clear"}
        assert sorted(below) == sorted(blocks)
        assert clear == set(blocks) - set(below.values())
        assert not set(goal) <= set(init)
