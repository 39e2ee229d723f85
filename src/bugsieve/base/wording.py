"""Numbers, values and foreign texts in sentences; errors and reports share it."""

from __future__ import annotations

import re

_LONGEST_SHOWN = 40
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|[+-]inf")


def shown_number(number: int) -> str:
    """`1856` or `58 482`: from five digits on, with a space for each thousand."""
    return str(number) if abs(number) < 10_000 else f"{number:,}".replace(",", " ")


def counted(number: int, noun: str) -> str:
    """`1 state` or `2 states`, for nouns with a plain plural."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def kind_in_words(kind: str) -> str:
    """`cost testing`: what campaigns of this kind do."""
    return {"training": "training", "rules": "tests of rules"}.get(kind, f"{kind} testing")


def shown_value(value: object) -> str:
    """A value as JSON files write it, for errors; long ones are cut."""
    if isinstance(value, (list, tuple, dict)):  # may be nested too deeply to show
        return "an object" if isinstance(value, dict) else "a list"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return repr(value)[:_LONGEST_SHOWN]


def printable(text: str) -> str:
    """One line without control characters; those of the text become escapes."""
    return text if text.isprintable() else "".join(map(_printable, text))


def csv_cell(value: object) -> object:
    """The value as spreadsheets may have it: no control characters, nothing that they compute.

    A text that they would take for a formula begins with an apostrophe, unless it is a number.
    """
    if not isinstance(value, str):
        return value
    text = printable(value)
    is_formula = text.lstrip().startswith(("=", "+", "-", "@")) and not _NUMBER.fullmatch(text)
    return f"'{text}" if is_formula else text


def duration(seconds: float) -> str:
    """A time span to about two digits."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    if seconds < 100 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h"


def printable_lines(text: str) -> str:
    """Lines without what a terminal obeys instead of showing it: that becomes escapes of JSON.

    So JSON stays JSON, and says the same.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else _json_escape(c) for c in text)


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[begin : begin + 4]}" for begin in range(0, len(units), 4))


def _printable(character: str) -> str:
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # a byte of a name that is not UTF-8, as Python holds it
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")
