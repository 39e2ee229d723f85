"""Declaring generator options: each field has a default, limits and one line of help.

The command line, the Python call, the checks and the names of what is generated are all read off
these declarations.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields
from typing import Any, TypeVar

from bugsieve.base.errors import UsageError

Value = TypeVar("Value", int, str)


def count(default: int, meaning: str, *, minimum: int = 1, maximum: int = 1000) -> int:
    """A field for a whole number within limits."""
    limits = {"help": meaning, "minimum": minimum, "maximum": maximum}
    return field(default=default, metadata=limits)


def real(default: float, meaning: str, *, minimum: float, maximum: float) -> float:
    """A field for a number within limits."""
    limits = {"help": meaning, "minimum": minimum, "maximum": maximum}
    return field(default=default, metadata=limits)


def flag(meaning: str, *, default: bool = False) -> bool:
    """A field for a switch."""
    return field(default=default, metadata={"help": meaning})


def one_of(default: Value, choices: tuple[Value, ...], meaning: str) -> Value:
    """A field for one of a few values."""
    return field(default=default, metadata={"help": meaning, "choices": choices})


@dataclass(frozen=True)
class GeneratorOptions:
    """Base of every generator's options; an object of it exists only with valid values."""

    def __post_init__(self) -> None:
        for option in fields(self):
            _check_value(option, getattr(self, option.name))
        self._check_together()

    def _check_together(self) -> None:
        """Raise UsageError when values are fine on their own but not together."""

    def _at_most(self, name: str, most: int, what: str) -> None:
        """Raise UsageError unless the option is at most `most`, which is `what`."""
        value = getattr(self, name)
        require(value <= most, f"{name} must be at most {what} ({most}), got {value}")

    def _at_least_as_many(self, name: str, least: int, what: str) -> None:
        """Raise UsageError unless the option is at least the number of `what`."""
        value = getattr(self, name)
        wanted = f"at least as many as {what} ({least})"
        require(value >= least, f"{name} must be {wanted}, got {value}")


def flag_name(option: Field[Any]) -> str:
    """What the command line calls the option, without dashes in front."""
    return option.name.replace("_", "-")


def require(condition: bool, sentence: str) -> None:
    """Raise UsageError with this sentence unless the condition holds."""
    if not condition:
        raise UsageError(sentence)


def _check_value(option: Field[Any], value: object) -> None:
    if isinstance(option.default, bool):
        require(isinstance(value, bool), f"{option.name} must be true or false, got {value!r}")
    elif "choices" in option.metadata:
        choices = option.metadata["choices"]
        known = any(type(value) is type(choice) and value == choice for choice in choices)
        listed = " or ".join(str(choice) for choice in choices)
        require(known, f"{option.name} must be {listed}, got {value}")
    else:
        _check_number(option, value)


def _check_number(option: Field[Any], value: Any) -> None:
    is_real = isinstance(option.default, float)
    kind, wanted = ((int, float), "a number") if is_real else (int, "a whole number")
    if not isinstance(value, kind) or isinstance(value, bool):
        raise UsageError(f"{option.name} must be {wanted}, got {value!r}")
    least, most = option.metadata["minimum"], option.metadata["maximum"]
    require(value >= least, f"{option.name} must be at least {least}, got {value}")
    require(value <= most, f"{option.name} must be at most {most}, got {value}")
