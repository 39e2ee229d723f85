"""Traps as NDDL beside a model, the way of papers/004: timelines, rules and goals of their own.

For a trap `A U B` or `A U (B & G C)` with Boolean A, B and C there are three timelines whose
tokens follow each other without gap from the start of the horizon on: some on `Left`, each within
a stretch on which A holds, then one on `Right` of one step at which B (and C) holds, then some on
`Rest` up to the end on which C holds. A token that must be there contains such a stretch; for one
that must not be there, a timeline has a `TRUE` wherever it is, and the stretch lies within a
`FALSE`. The model itself stays as it is: a planner for NDDL that reads both files finds a plan if
and only if the model has a trace that satisfies the trap.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count, product
from typing import NamedTuple, TypeAlias

from bugsieve.base.errors import InputError, UnsupportedError
from bugsieve.rooms.rules.ltl.formula import TRUE, Formula, atoms_of, conjunction
from bugsieve.rooms.rules.ltl.printer import to_text
from bugsieve.rooms.timelines.deciding import atom_text
from bugsieve.rooms.timelines.models.atoms import TokenCondition, resolve
from bugsieve.rooms.timelines.models.loading import check_horizon
from bugsieve.rooms.timelines.models.model import Model, Object
from bugsieve.rooms.timelines.models.timeline_atoms import LevelAtom, TimelineAtom, TokenAtom
from bugsieve.rooms.timelines.room import DEFAULT_SLOTS

MAX_CASES = 200
"""The most conjunctions that a Boolean formula may come to."""

Cube: TypeAlias = tuple[tuple[str, bool], ...]
_TEMPORAL = {
    "next": "X",
    "weak-next": "N",
    "finally": "F",
    "globally": "G",
    "until": "U",
    "weak-until": "W",
    "release": "R",
    "strong-release": "M",
}


class Shape(NamedTuple):
    """`left U (right & G rest)`; no rest if there is no G."""

    left: Formula
    right: Formula
    rest: Formula | None


def shape_of(formula: Formula) -> Shape:
    """The parts of a trap; UnsupportedError names what is of another form."""
    if formula.operator == "finally":
        left, right = TRUE, formula.parts[0]
    elif formula.operator == "until":
        left, right = formula.parts
    else:
        raise _unsupported(formula, "is neither A U B nor A U (B & G C)")
    now: list[Formula] = []
    rest: list[Formula] = []
    for part in _conjuncts(right):
        (rest if part.operator == "globally" else now).append(part)
    always = [part.parts[0] for part in rest]
    for part in (left, *now, *always):
        _check_boolean(part, formula)
    return Shape(left, conjunction([*now, *always]), conjunction(always) if always else None)


def _conjuncts(formula: Formula) -> Iterator[Formula]:
    if formula.operator != "and":
        yield formula
        return
    for part in formula.parts:
        yield from _conjuncts(part)


def _check_boolean(part: Formula, formula: Formula) -> None:
    pending = [part]
    while pending:
        item = pending.pop()
        if item.operator in _TEMPORAL:
            operator = _TEMPORAL[item.operator]
            raise _unsupported(formula, f"has a nested {operator}: {to_text(item)}")
        pending += item.parts


def _unsupported(formula: Formula, reason: str) -> UnsupportedError:
    return UnsupportedError(f"{to_text(formula)} cannot be written in NDDL: it {reason}")


def cubes_of(formula: Formula, value: bool = True) -> list[Cube]:
    """Conjunctions of literals of which one holds iff the Boolean formula has the value."""
    operator, parts = formula.operator, formula.parts
    if operator in ("true", "false"):
        return [()] if (operator == "true") == value else []
    if operator == "atom":
        return [((formula.name, value),)]
    if operator == "not":
        return cubes_of(parts[0], not value)
    if operator == "implies":
        return cubes_of(~parts[0] | parts[1], value)
    if operator == "iff":
        left, right = parts
        return cubes_of((left & right) | (~left & ~right), value)
    found = [cubes_of(part, value) for part in parts]
    if (operator == "or") == value:
        return _distinct([cube for cubes in found for cube in cubes])
    joined: list[Cube] = [()]
    for cubes in found:
        joined = _distinct(
            [merged for a, b in product(joined, cubes) if (merged := _both(a, b)) is not None]
        )
    return joined


def _both(one: Cube, other: Cube) -> Cube | None:
    """None where they contradict each other."""
    merged = dict(one)
    for name, value in other:
        if merged.setdefault(name, value) != value:
            return None
    return tuple(sorted(merged.items()))


def _distinct(cubes: list[Cube]) -> list[Cube]:
    """Without those that another one implies."""
    unique = list(dict.fromkeys(cubes))
    kept = [c for c in unique if not any(o != c and set(o) <= set(c) for o in unique)]
    if len(kept) > MAX_CASES:
        raise UnsupportedError(f"a part of the formula has more than {MAX_CASES} cases")
    return kept


class _Absence(NamedTuple):
    """A timeline that says where an object has no token that an atom speaks of."""

    atom: str
    thing: Object
    class_name: str
    name: str


@dataclass(frozen=True)
class _Emission:
    model: Model
    atoms: Mapping[str, TokenAtom]
    horizon: tuple[int, int]
    prefix: str
    absences: tuple[_Absence, ...]

    def text(self, formula: Formula, cases: Mapping[str, list[Cube]]) -> str:
        parts = [
            f"// {to_text(formula)}",
            *(f"//   {name}: {atom_text(atom)}" for name, atom in self.atoms.items()),
            *(line for absence in self.absences for line in self._absence(absence)),
            *(line for name in cases if cases[name] for line in self._stretch(name, cases)),
            *self._goal(),
        ]
        return "\n".join(parts) + "\n"

    def _absence(self, item: _Absence) -> list[str]:
        atom = self.atoms[item.atom]
        tests = [f"{name} == {value}" for name, value in atom.arguments]
        if len(self.model.instances(item.thing.class_name)) > 1:
            tests.insert(0, f"object == {_path(self.model, item.thing)}")
        opened = "".join(f"if ({test}) {{ " for test in tests)
        return [
            "",
            f"// FALSE only where {item.thing.name} has no such token: {atom_text(atom)}",
            f"class {item.class_name} extends Timeline {{",
            "  predicate TRUE { }",
            "  predicate FALSE { }",
            "}",
            f"{item.class_name} {item.name} = new {item.class_name}();",
            f"{item.thing.class_name}::{atom.predicate} {{",
            f"  {opened}equals({item.name}.TRUE);{' }' * len(tests)}",
            "}",
        ]

    def _stretch(self, name: str, cases: Mapping[str, list[Cube]]) -> list[str]:
        """A timeline for `Left`, `Right` or `Rest`, and the rule about its tokens."""
        own, cubes = f"{self.prefix}_{name}", cases[name]
        ways = ", ".join(f"{own}_{number}" for number in range(len(cubes)))
        length = " eq(duration, 1);" if name == "Right" else ""
        return [
            "",
            f"enum {own}_Way {{ {ways} }}",
            f"class {own} extends Timeline {{",
            f"  predicate Holds {{ {own}_Way way;{length} }}",
            "}",
            f"{own} {self._timeline(name)} = new {own}();",
            f"{own}::Holds {{",
            *self._neighbours(name, cases),
            *(line for number, cube in enumerate(cubes) for line in self._way(own, number, cube)),
            "}",
        ]

    def _timeline(self, name: str) -> str:
        return f"{self.prefix}_{name.lower()}"

    def _neighbours(self, name: str, cases: Mapping[str, list[Cube]]) -> list[str]:
        lines = []
        if name != "Rest" and cases["Left"]:
            lines.append(f"  met_by({self._timeline('Left')}.Holds before_it);")
        elif name != "Rest":
            lines.append(f"  eq(start, {self.horizon[0]});")
        if name != "Left" and "Rest" in cases:
            lines.append(f"  meets({self._timeline('Rest')}.Holds after_it);")
        return lines

    def _way(self, own: str, number: int, cube: Cube) -> list[str]:
        inside = [f"    {line}" for literal in cube for line in self._literal(*literal)]
        return [f"  if (way == {own}_{number}) {{", *inside, "  }"] if inside else []

    def _goal(self) -> list[str]:
        start, end = self.horizon
        found = f"{self.prefix}_found"
        return [
            "",
            f"goal({self._timeline('Right')}.Holds {found});",
            f"leq({start}, {found}.start);",
            f"leq({found}.end, {end});",
        ]

    def _literal(self, name: str, is_true: bool) -> list[str]:
        atom = self.atoms[name]
        if not is_true:
            return [f"contained_by({a.name}.FALSE);" for a in self.absences if a.atom == name]
        label = f"in_{self.prefix}_{sorted(self.atoms).index(name)}"
        owner = atom.timeline
        equal = [f"eq({label}.{parameter}, {value});" for parameter, value in atom.arguments]
        return [f"contained_by({owner}.{atom.predicate} {label});", *equal]


def emit_nddl(
    model: Model,
    formula: Formula,
    atoms: Mapping[str, TimelineAtom],
    *,
    horizon: tuple[int, int] | None = None,
) -> str:
    """NDDL text that asks for a plan which satisfies the trap, to be read after the model."""
    emission, cases = _emission(model, formula, atoms, horizon)
    return emission.text(formula, cases)


def slots_beside(
    model: Model,
    formula: Formula,
    atoms: Mapping[str, TimelineAtom],
    *,
    slots: int = DEFAULT_SLOTS,
) -> dict[str, int]:
    """The number of tokens the emitted classes need, so that the model's have `slots` each."""
    emission, _ = _emission(model, formula, atoms, model.horizon or (0, 1))
    involved = {
        number
        for atom in emission.atoms.values()
        for number in _condition("", atom, model).objects
    }
    absences = {absence.class_name: 2 * slots + 1 for absence in emission.absences}
    prefix, pieces = emission.prefix, 2 * slots * len(involved) + 2
    own = {f"{prefix}_Left": pieces, f"{prefix}_Right": 1, f"{prefix}_Rest": pieces}
    return {"": slots, **absences, **own}


def _emission(
    model: Model,
    formula: Formula,
    atoms: Mapping[str, TimelineAtom],
    horizon: tuple[int, int] | None,
) -> tuple[_Emission, dict[str, list[Cube]]]:
    shape = shape_of(formula)
    times = horizon or model.horizon
    if times is None:
        raise InputError("the model has no PlannerConfig, name a horizon")
    cases = {"Left": cubes_of(shape.left), "Right": cubes_of(shape.right)}
    if shape.rest is not None:
        cases["Rest"] = cubes_of(shape.rest)
    if not cases["Right"]:
        raise _unsupported(formula, "is never satisfied")
    tokens = {name: _token_atom(name, atoms, formula) for name in atoms_of(formula)}
    negative = {name for cubes in cases.values() for cube in cubes for name, v in cube if not v}
    prefix = _prefix(model)
    absences = [
        (name, model.objects[number])
        for name in sorted(negative)
        for number in _condition(name, tokens[name], model).objects
    ]
    named = tuple(
        _Absence(name, thing, f"{prefix}_Absence{number}", f"{prefix}_absence{number}")
        for number, (name, thing) in enumerate(absences)
    )
    return _Emission(model, tokens, check_horizon(times), prefix, named), cases


def _condition(name: str, atom: TokenAtom, model: Model) -> TokenCondition:
    condition = resolve(name, atom, model)
    assert isinstance(condition, TokenCondition)
    return condition


def _token_atom(name: str, atoms: Mapping[str, TimelineAtom], formula: Formula) -> TokenAtom:
    atom = atoms[name]
    if isinstance(atom, LevelAtom):
        raise _unsupported(formula, f"speaks of the level of a reservoir in the atom {name!r}")
    return atom


def _path(model: Model, thing: Object) -> str:
    """The name of an object in a file; one that was made without a name has none."""
    if any(part.isdigit() for part in thing.name.split(".")) or not _is_declared(model, thing):
        raise UnsupportedError(f"the object {thing.name!r} has no name in its file")
    return thing.name


def _is_declared(model: Model, thing: Object) -> bool:
    return not thing.name.startswith(f"{thing.class_name}_{thing.number}")


def _prefix(model: Model) -> str:
    """One that no name of the model begins with."""
    text = "\n".join(text for _, text in model.texts)
    return next(name for name in (f"Trap{n or ''}" for n in count()) if name not in text)
