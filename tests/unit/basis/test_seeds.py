"""Streams: fixed for ever, independent of each other, unbiased."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import permutations

import pytest

from bugsieve.base.seeds import Stream


def words(*name: int | str, count: int = 8) -> list[int]:
    stream = Stream(0, *name)
    return [stream.word() for _ in range(count)]


def test_words_follow_the_documented_construction() -> None:
    def part(kind: bytes, data: bytes) -> bytes:
        return kind + len(data).to_bytes(8, "little") + data

    key = hashlib.sha256(part(b"i", b"7") + part(b"s", b"walk") + part(b"i", b"2")).digest()
    blocks = [hashlib.sha256(key + n.to_bytes(8, "little")).digest() for n in range(2)]
    data = b"".join(blocks)
    expected = [int.from_bytes(data[i : i + 8], "little") for i in range(0, 64, 8)]
    stream = Stream(7, "walk", 2)
    assert [stream.word() for _ in range(8)] == expected


def test_known_answers() -> None:
    """Pinned: stored seeds must give the same results in later versions."""
    stream = Stream(2024, "known")
    drawn = [stream.integer(1, 6) for _ in range(12)]
    order = list("abcdefgh")
    stream.shuffle(order)
    assert drawn == [6, 2, 6, 6, 3, 3, 3, 6, 4, 5, 2, 2]
    assert "".join(order) == "fgahdbce"
    assert stream.sample(range(100), 5) == [75, 88, 38, 59, 52]
    assert stream.random() == 0.6547079328576676
    assert stream.integer(0, 10**30) == 683063514100012317871809938765


def test_seed_and_every_name_matter() -> None:
    names: list[tuple[int | str, ...]] = [
        (),
        ("a",),
        ("b",),
        ("a", "b"),
        ("b", "a"),
        ("ab",),
        ("a", ""),
        (1,),
        ("1",),
        (1, 23),
        (12, 3),
        (123,),
        (-1,),
    ]
    assert len({tuple(words(*name)) for name in names}) == len(names)
    assert Stream(1).word() != Stream(2).word()


def test_reading_one_stream_leaves_others_alone() -> None:
    parent = Stream(5, "parent")
    before = parent.substream("child", 3)
    for _ in range(10):
        parent.word()
    after = parent.substream("child", 3)
    direct = Stream(5, "parent", "child", 3)
    sequences = [[stream.word() for _ in range(9)] for stream in (before, after, direct)]
    assert sequences[0] == sequences[1] == sequences[2]
    fresh = Stream(5, "parent")
    for _ in range(10):
        fresh.word()
    assert parent.word() == fresh.word()


def test_streams_are_uncorrelated() -> None:
    """Bits of 200 pairs of streams agree half of the time: 51 200 coins, 6 sigma is 679."""
    agreeing = sum(
        256
        - sum(
            (a ^ b).bit_count()
            for a, b in zip(words(n, count=4), words(n + 1, count=4), strict=True)
        )
        for n in range(200)
    )
    assert abs(agreeing - 25_600) < 700


def test_integers_are_within_limits_and_uniform() -> None:
    stream = Stream(1, "uniform")
    counts = Counter(stream.integer(-3, 6) for _ in range(20_000))
    assert sorted(counts) == list(range(-3, 7))
    squared = sum((count - 2_000) ** 2 / 2_000 for count in counts.values())
    assert squared < 30  # chi-squared, 9 degrees of freedom: p is about 0.0004


def test_integers_just_above_a_power_of_two_are_uniform() -> None:
    stream = Stream(1, "rejection")
    counts = Counter(stream.integer(0, 4) for _ in range(10_000))
    assert all(abs(counts[value] - 2_000) < 250 for value in range(5))


def test_large_and_single_ranges() -> None:
    stream = Stream(1, "large")
    high = 1 << 200
    drawn = [stream.integer(0, high) for _ in range(200)]
    assert all(0 <= value <= high for value in drawn)
    assert 60 < sum(value > high // 2 for value in drawn) < 140
    assert stream.integer(4, 4) == 4


def test_floats_lie_in_the_unit_interval() -> None:
    stream = Stream(3)
    drawn = [stream.random() for _ in range(5_000)]
    assert all(0 <= value < 1 for value in drawn)
    assert abs(sum(drawn) / len(drawn) - 0.5) < 0.025
    assert all((value * 2**53).is_integer() for value in drawn)


def test_every_order_and_every_sample_is_equally_likely() -> None:
    stream = Stream(4)
    orders: Counter[tuple[int, ...]] = Counter()
    samples: Counter[tuple[int, ...]] = Counter()
    for _ in range(6_000):
        items = [1, 2, 3]
        stream.shuffle(items)
        orders[tuple(items)] += 1
        samples[tuple(stream.sample((1, 2, 3), 2))] += 1
    assert set(orders) == set(permutations((1, 2, 3)))
    assert set(samples) == set(permutations((1, 2, 3), 2))
    assert all(abs(count - 1_000) < 180 for count in (*orders.values(), *samples.values()))


def test_choice_takes_every_item() -> None:
    stream = Stream(6)
    assert {stream.choice("abc") for _ in range(100)} == set("abc")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda stream: stream.integer(2, 1), "between 2 and 1"),
        (lambda stream: stream.choice([]), "empty"),
        (lambda stream: stream.sample([1, 2], 3), "3 of 2"),
        (lambda stream: stream.sample([1, 2], -1), "-1 of 2"),
    ],
)
def test_impossible_draws_are_refused(call: object, sentence: str) -> None:
    assert callable(call)
    with pytest.raises(ValueError, match=sentence):
        call(Stream(0))


def test_a_stream_tells_its_name() -> None:
    assert repr(Stream(3, "walk", 1)) == "Stream(3, 'walk', 1)"
