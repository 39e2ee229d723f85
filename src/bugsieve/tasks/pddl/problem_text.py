"""The text of a problem file, for generators and for problems that leave objects out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def problem_text(
    name: str,
    domain: str,
    *,
    objects: Mapping[str, Sequence[str]],
    init: Iterable[str],
    goal: Iterable[str],
    further: Iterable[str] = (),
) -> str:
    """A PDDL problem; facts stand in the order in which they are given.

    `objects` are by type, those without one under the empty name; `further` are whole sections.
    """
    kinds = sorted(filter(objects.get, objects), key=lambda kind: not kind)  # no type: last
    typed = [" ".join(objects[kind]) + (f" - {kind}" if kind else "") for kind in kinds]
    parts = [
        f"(define (problem {name})",
        f"  (:domain {domain})",
        _section("objects", typed),
        _section("init", init),
        _section("goal (and", goal) + ")",
        *(f"  {section}" for section in further),
    ]
    return "\n".join(parts) + ")\n"


def _section(heading: str, lines: Iterable[str]) -> str:
    return "\n    ".join([f"  (:{heading}", *lines]) + ")"
