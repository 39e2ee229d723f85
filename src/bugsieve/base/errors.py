"""Errors that say who is at fault; the command line turns each into a sentence and a code."""

from __future__ import annotations

from bugsieve.base.wording import printable


class BugsieveError(Exception):
    """Base of all errors raised on purpose; `exit_code` is what the command line returns.

    Its text is always one line: file names and atoms of others may hold anything.
    """

    exit_code = 3

    def __str__(self) -> str:
        return printable(super().__str__())


class InputError(BugsieveError):
    """A file or value given by the user is wrong; the sentence names the file and the place."""

    exit_code = 4


class UsageError(BugsieveError):
    """The call itself is wrong: an unknown name, an option that does not fit."""

    exit_code = 4


class UnsupportedError(InputError):
    """The input is fine but uses a feature Bugsieve does not handle; the sentence names it."""


class SubjectError(InputError):
    """The task or model cannot be run in a state, so that no work on it can go on."""


class PolicyError(BugsieveError):
    """A policy cannot be created or misbehaved outside a run; runs report it as an outcome."""

    exit_code = 4


class BudgetError(BugsieveError):
    """A limit on time or memory was spent before there was a result."""

    exit_code = 5


class InternalError(BugsieveError):
    """A promise of our own code was broken."""
