"""Specs inside specs: `greedy:python:FILE:value` names a function as `python:` alone does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bugsieve.base.registry.outside_access import NOTHING, OutsideAccess


class Inner(NamedTuple):
    """The parsed argument of a nested spec."""

    member: Any
    """A class like those that specs name."""
    argument: str | None


def inner_spec(argument: str | None, members: Mapping[str, Any]) -> Inner | None:
    """The member and its argument that an argument names; None if it begins with no such name."""
    name, colon, rest = (argument or "").partition(":")
    member = members.get(name.strip())
    return None if member is None else Inner(member, rest.strip() if colon else None)


class ForeignInside:
    """Base of members whose argument may be the spec of a function or a program."""

    @classmethod
    def inner(cls, argument: str | None) -> Inner | None:
        """The function or program that the argument names; None if it is something else."""
        raise NotImplementedError

    @classmethod
    def reach(cls, argument: str | None) -> OutsideAccess:
        """Nothing, or what the function or program is."""
        inner = cls.inner(argument)
        return NOTHING if inner is None else inner.member.reach(inner.argument)

    @classmethod
    def starts(cls, argument: str | None) -> OutsideAccess:
        """The same, with its files."""
        inner = cls.inner(argument)
        return NOTHING if inner is None else inner.member.starts(inner.argument)
