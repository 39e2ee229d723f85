"""Numbers in sentences; errors and reports share it."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 state` or `2 states`, for nouns with a plain plural."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
