"""Our domains have the schemas of the published ones, so that policies trained there apply.

An ASNets policy depends on the order of schemas and of the atoms in each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

from bugsieve.rooms.zoo.domains import domain_text

Expression: TypeAlias = "str | list[Expression]"
Atom = tuple[str | int, ...]

BENCHMARKS = Path(__file__).parents[4] / "shared" / "benchmarks"
PUBLISHED = [
    *(
        f"asnets/{name}"
        for name in (
            "blocksworld",
            "floortile",
            "gripper",
            "matching-blocksworld",
            "satellite",
            "scanalyzer",
            "storage",
            "transport",
            "visitall",
        )
    ),
    *(
        f"pddl/ipc2023-learning/{name}"
        for name in ("ferry", "miconic", "satellite", "spanner", "transport")
    ),
]


@pytest.mark.parametrize("published", PUBLISHED)
def test_schemas_and_their_atoms_are_the_published_ones(published: str) -> None:
    path = BENCHMARKS / published / "domain.pddl"
    if not path.exists():
        pytest.skip(f"needs the benchmark {published} beside the repository")
    ours = schemas(domain_text(path.parent.name))
    assert list(ours.items()) == list(schemas(path.read_text()).items())


def schemas(text: str) -> dict[str, tuple[int, list[Atom]]]:
    """Number of parameters and distinct atoms of each schema, parameters as positions."""
    found = {}
    for section in read(text):
        if isinstance(section, list) and section[0] == ":action":
            parts = {
                str(key): value for key, value in zip(section[2::2], section[3::2], strict=True)
            }
            names = [word for word in parts[":parameters"] if str(word).startswith("?")]
            related = [
                tuple(names.index(word) if word in names else str(word) for word in atom)
                for part in (":precondition", ":effect")
                for atom in atoms(parts[part])
            ]
            found[str(section[1])] = (len(names), list(dict.fromkeys(related)))
    return found


def atoms(formula: Expression) -> Iterator[list[Expression]]:
    assert isinstance(formula, list)
    if formula[0] in ("and", "not"):
        for part in formula[1:]:
            yield from atoms(part)
    elif formula[0] not in ("=", "increase"):
        yield formula


def read(text: str) -> list[Expression]:
    """The nested lists of a PDDL file, in lower case."""
    stack: list[list[Expression]] = [[]]
    for token in re.findall(r"[()]|[^\s()]+", re.sub(r";.*", "", text).lower()):
        if token == "(":
            stack.append([])
        elif token == ")":
            closed = stack.pop()
            stack[-1].append(closed)
        else:
            stack[-1].append(token)
    (whole,) = stack[0]
    assert isinstance(whole, list)
    return whole
