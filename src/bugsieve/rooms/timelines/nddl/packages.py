"""Lark and OR-tools, if they are there; only timelines need them."""

from __future__ import annotations

from typing import Any

from bugsieve.base.errors import UsageError

PIP_COMMAND = "pip install 'bugsieve[timeline]'"


def load_lark() -> Any:
    """The module `lark`; UsageError, with what to do about it, where it cannot be imported."""
    try:
        import lark
    except ImportError as error:
        raise _missing("Lark", error) from None
    return lark


def load_cp_model() -> Any:
    """The module of CP-SAT; UsageError, with what to do about it, where it is missing."""
    try:
        from ortools.sat.python import cp_model
    except ImportError as error:
        raise _missing("OR-tools", error) from None
    return cp_model


def _missing(package: str, error: ImportError) -> UsageError:
    reason = " ".join(str(error).split())
    return UsageError(
        f"timelines need {package}, which cannot be imported ({reason}): {PIP_COMMAND}"
    )
