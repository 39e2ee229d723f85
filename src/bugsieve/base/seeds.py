"""Seeded streams of random numbers, the same on every machine and Python version.

Every random decision draws from a `Stream`; there is no global generator. A stream is named by a
seed and any number of names, so that walks, policies and generators never share one.
"""

from __future__ import annotations

import hashlib
from collections.abc import MutableSequence, Sequence
from typing import TypeVar

Item = TypeVar("Item")

_WORD_BITS = 64
_WORDS_PER_BLOCK = 4


class Stream:
    """Random numbers determined by `(seed, *names)` alone.

    Counter-based: block i is SHA-256(key ‖ i) read as four little-endian 64-bit words, where key
    is the SHA-256 of the seed and the names. Streams with different names are independent, and
    how far one has been read never changes what another one gives.
    """

    def __init__(self, seed: int, *names: str | int) -> None:
        self.seed = seed
        self.names = names
        self._key = hashlib.sha256(b"".join(_encoded(part) for part in (seed, *names))).digest()
        self._block = 0
        self._words: list[int] = []

    def __repr__(self) -> str:
        return f"Stream({', '.join(repr(part) for part in (self.seed, *self.names))})"

    def substream(self, *names: str | int) -> Stream:
        """The stream with these names appended, wherever this one stands."""
        return Stream(self.seed, *self.names, *names)

    def word(self) -> int:
        """The next 64 random bits."""
        if not self._words:
            self._refill()
        return self._words.pop()

    def integer(self, low: int, high: int) -> int:
        """A whole number between `low` and `high`, both included, each equally likely."""
        if low > high:
            raise ValueError(f"no whole number lies between {low} and {high}")
        span = high - low
        bits = span.bit_length()
        while True:  # rejection keeps it uniform; fewer than two rounds on average
            offset = self._bits(bits)
            if offset <= span:
                return low + offset

    def random(self) -> float:
        """A float in [0, 1), a multiple of 2**-53."""
        return (self.word() >> 11) * 2.0**-53

    def choice(self, items: Sequence[Item]) -> Item:
        """One of the items, each position equally likely; ValueError when there are none."""
        if not items:
            raise ValueError("cannot choose from an empty sequence")
        return items[self.integer(0, len(items) - 1)]

    def shuffle(self, items: MutableSequence[Item]) -> None:
        """Put the items into a random order in place, every order equally likely."""
        for last in range(len(items) - 1, 0, -1):
            other = self.integer(0, last)
            items[last], items[other] = items[other], items[last]

    def sample(self, items: Sequence[Item], count: int) -> list[Item]:
        """`count` items from different positions, in random order."""
        if not 0 <= count <= len(items):
            raise ValueError(f"cannot draw {count} of {len(items)} items")
        pool = list(items)
        for position in range(count):
            other = self.integer(position, len(pool) - 1)
            pool[position], pool[other] = pool[other], pool[position]
        return pool[:count]

    def _bits(self, bits: int) -> int:
        value = 0
        words = -(-bits // _WORD_BITS)
        for _ in range(words):
            value = value << _WORD_BITS | self.word()
        return value >> (words * _WORD_BITS - bits)

    def _refill(self) -> None:
        digest = hashlib.sha256(self._key + self._block.to_bytes(8, "little")).digest()
        self._block += 1
        # Reversed because `word` pops from the end.
        self._words = [
            int.from_bytes(digest[8 * index : 8 * index + 8], "little")
            for index in reversed(range(_WORDS_PER_BLOCK))
        ]


def _encoded(part: str | int) -> bytes:
    """Tagged and length-prefixed, so that (1, "23"), (12, "3") and ("1", 23) all differ."""
    kind, text = (b"s", part) if isinstance(part, str) else (b"i", str(int(part)))
    data = text.encode("utf-8")
    return kind + len(data).to_bytes(8, "little") + data
