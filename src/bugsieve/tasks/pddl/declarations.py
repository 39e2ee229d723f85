"""The declaring parts of PDDL: typed lists, types, constants, predicates and functions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

from bugsieve.base.names import suggest
from bugsieve.tasks.pddl.reader import Block, Document, Expression, Word

ROOT_TYPE = "object"

_MOST_PAIRS = 1_000_000
"""Pairs of a type and one above it, which questions about types look through."""

Signature: TypeAlias = tuple[tuple[str, ...], ...]
"""For each argument of a predicate or function the types that it accepts."""


@dataclass(frozen=True)
class Typed:
    """A name with the types it may have: one, or several after `either`, none if unstated."""

    name: Word
    types: tuple[Word, ...]

    @property
    def type(self) -> str:
        """The one type, `object` where none is stated."""
        return str(self.types[0]) if self.types else ROOT_TYPE


@dataclass(frozen=True)
class Vocabulary:
    """The declarations of a domain: the names that formulas may use."""

    types: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Type to supertypes, with every supertype that is only mentioned; none if not known."""
    constants: Mapping[str, str] = field(default_factory=dict)
    predicates: Mapping[str, Signature] = field(default_factory=dict)
    functions: Mapping[str, Signature] = field(default_factory=dict)

    @cached_property
    def ancestors(self) -> Mapping[str, frozenset[str]]:
        """Type to itself and all its supertypes, the root type among them."""
        return {name: _ancestors(self.types, name) for name in self.types}

    def fits(self, given: str, accepted: tuple[str, ...]) -> bool:
        """Return true if an object of the given type may stand where these types are accepted."""
        return any(name in self.ancestors[given] for name in accepted)

    def overlaps(self, given: str, accepted: tuple[str, ...]) -> bool:
        """Return true if some type is below the given one and below one that is accepted."""
        below = [above for above in self.ancestors.values() if given in above]
        return any(name in above for above in below for name in accepted)

    def of_type(self, objects: Mapping[str, str], kind: str) -> list[str]:
        """The objects that have the type."""
        return [name for name, own in objects.items() if self.fits(own, (kind,))]


def _ancestors(types: Mapping[str, tuple[str, ...]], name: str) -> frozenset[str]:
    found = {name, ROOT_TYPE}
    pending = [name]
    while pending:
        new = [supertype for supertype in types[pending.pop()] if supertype not in found]
        found.update(new)
        pending += new
    return frozenset(found)


def typed_list(document: Document, items: Sequence[Expression]) -> Iterator[Typed]:
    """The entries of a list such as `a b - block c`."""
    names: list[Word] = []
    position = 0
    while position < len(items):
        item = items[position]
        if isinstance(item, Block):
            raise document.error(item, "a name was expected here, not a block in parentheses")
        if item != "-":
            if item.startswith("-"):
                sentence = f"write '- {item[1:]}', with a blank after '-'"
                raise document.error(item, sentence, "missing-blank")
            names.append(item)
            position += 1
            continue
        if position + 1 == len(items):
            raise document.error(item, "the type after '-' is missing")
        types = _types_of(document, items[position + 1])
        yield from (Typed(name, types) for name in names)
        names = []
        position += 2
    yield from (Typed(name, ()) for name in names)


def _types_of(document: Document, item: Expression) -> tuple[Word, ...]:
    if isinstance(item, Word):
        return (item,)
    if not item or item[0] != "either" or not all(isinstance(part, Word) for part in item):
        raise document.error(item, "a type is one word or (either TYPE TYPE ...)")
    return tuple(part for part in item[1:] if isinstance(part, Word))


def single_typed(
    document: Document, items: Sequence[Expression], types: Collection[str], user: str
) -> list[Typed]:
    """A typed list whose entries have one declared type each."""
    entries = list(typed_list(document, items))
    for entry in entries:
        check_types(document, entry, types)
        if len(entry.types) > 1:
            raise document.unsupported(entry.name, user, "'either' types")
    return entries


def variables(
    document: Document, items: Sequence[Expression], types: Collection[str], user: str
) -> dict[str, str]:
    """A typed list of distinct variables, in order, with their types."""
    found: dict[str, str] = {}
    for entry in single_typed(document, items, types, user):
        require_variable(document, entry.name, items, types, user)
        if entry.name in found:
            sentence = f"{user} has the variable '{entry.name}' twice"
            raise document.error(entry.name, sentence, "repeated-variable")
        found[str(entry.name)] = entry.type
    return found


def require_variable(
    document: Document,
    name: Word,
    items: Sequence[Expression],
    types: Collection[str],
    user: str,
) -> None:
    """Raise unless an entry of a typed list is a variable, and say what was probably meant."""
    if name.startswith("?"):
        return
    place = next(place for place, item in enumerate(items) if item is name)
    before = items[place - 1] if place else ""
    if isinstance(before, Word) and before.endswith("-") and before.startswith("?"):
        sentence = f"write '{before[:-1]} - {name}', with a blank before '-'"
        raise document.error(name, sentence, "missing-blank")
    if isinstance(before, Word) and before.startswith("?") and name in types:
        sentence = f"{user} has a type after a variable: write '{before} - {name}', with a dash"
        raise document.error(name, sentence, "missing-dash")
    sentence = f"{user} needs a variable here: write '?{name}'"
    raise document.error(name, sentence, "missing-question-mark")


def check_types(document: Document, entry: Typed, types: Collection[str]) -> None:
    """Raise unless every type of the entry is declared."""
    for name in entry.types:
        if name not in types:
            raise document.error(
                name,
                f"the type '{name}' of '{entry.name}' is not declared in :types"
                f"{suggest(name, types)}",
                "unknown-type",
            )


def read_types(document: Document, section: Block) -> dict[str, tuple[str, ...]]:
    """Type to supertypes; a supertype that is only mentioned counts as declared."""
    types: dict[str, tuple[str, ...]] = {ROOT_TYPE: ()}
    for entry in typed_list(document, section[1:]):
        if entry.name == "number":
            raise document.error(entry.name, "the type name 'number' is reserved, rename the type")
        if len(entry.types) > 1:
            raise document.unsupported(entry.name, f"type '{entry.name}'", "'either' supertypes")
        types[str(entry.name)] = (*types.get(entry.name, ()), entry.type)
    for supertype in [name for supertypes in types.values() for name in supertypes]:
        types.setdefault(supertype, (ROOT_TYPE,))
    _refuse_cycles(document, section, types)
    return types


def refuse_tall(document: Document, section: Block, types: Mapping[str, tuple[str, ...]]) -> None:
    """Raise for a hierarchy in which looking up what fits would take minutes."""
    if _pairs(types) > _MOST_PAIRS:
        feature = f"more than {_MOST_PAIRS} pairs of a type and one above it"
        raise document.unsupported(section, "the hierarchy of types", feature)


def _refuse_cycles(
    document: Document, section: Block, types: Mapping[str, tuple[str, ...]]
) -> None:
    """Raise for types that are below themselves; what is above the root type does not count."""
    circling = _above_themselves(types)
    for entry in typed_list(document, section[1:]):
        if entry.name in circling:
            cycle = _cycle_from(str(entry.name), types, circling)
            sentence = f"the type '{cycle[0]}' is below itself: {' - '.join(cycle)}"
            code = "cyclic-types" if len(cycle) <= 3 else "long-type-cycle"
            raise document.error(entry.name, sentence, code)


def _above_themselves(types: Mapping[str, tuple[str, ...]]) -> set[str]:
    """The types from which the supertypes lead into a cycle."""
    return set(types).difference(_from_above(types))


def _pairs(types: Mapping[str, tuple[str, ...]]) -> int:
    """The largest possible number of pairs of a type and one above it."""
    above: dict[str, int] = {}
    for name in _from_above(types):
        counts = (above[supertype] for supertype in _supertypes(types, name))
        above[name] = min(len(types), 1 + sum(counts))
    return sum(above.values())


def _supertypes(types: Mapping[str, tuple[str, ...]], name: str) -> set[str]:
    """The types just above one, but for the root type."""
    return set() if name == ROOT_TYPE else set(types[name]) - {ROOT_TYPE}


def _from_above(types: Mapping[str, tuple[str, ...]]) -> list[str]:
    """The types behind all their supertypes, without those that a cycle is above of."""
    below: dict[str, list[str]] = {name: [] for name in types}
    left = dict.fromkeys(types, 0)
    for name in types:
        for supertype in _supertypes(types, name):
            below[supertype].append(name)
            left[name] += 1
    done = [name for name, number in left.items() if number == 0]
    for name in done:  # grows while types are found all of whose supertypes are done
        for subtype in below[name]:
            left[subtype] -= 1
            if left[subtype] == 0:
                done.append(subtype)
    return done


def _cycle_from(
    name: str, types: Mapping[str, tuple[str, ...]], circling: Collection[str]
) -> list[str]:
    """A cycle that the supertypes of a type lead into, its first type at both ends."""
    way: dict[str, None] = {}
    while name not in way:
        way[name] = None
        name = next(supertype for supertype in types[name] if supertype in circling)
    walked = list(way)
    return [*walked[walked.index(name) :], name]


def read_objects(
    document: Document,
    section: Block,
    types: Collection[str],
    known: Iterable[str] = (),
) -> dict[str, str]:
    """Object to type; `known` are the names that are already taken."""
    _refuse_dashed_names(document, section, types)
    taken = set(known)
    objects: dict[str, str] = {}
    for entry in single_typed(document, section[1:], types, f"'{section[0]}'"):
        if entry.name.startswith("?"):
            raise document.error(entry.name, f"'{entry.name}' is a variable, not an object")
        if entry.name in objects or entry.name in taken:
            raise document.error(
                entry.name,
                f"the object '{entry.name}' is declared twice, remove one declaration",
                "repeated-object",
            )
        objects[str(entry.name)] = entry.type
    return objects


def _refuse_dashed_names(document: Document, section: Block, types: Collection[str]) -> None:
    """Raise for `a- block`, where the dash is a part of the name and the type another object."""
    for before, name in pairwise(section):
        if isinstance(before, Word) and len(before) > 1 and before.endswith("-") and name in types:
            sentence = f"write '{before[:-1]} - {name}', with a blank before '-'"
            raise document.error(name, sentence, "missing-blank")


def read_predicates(
    document: Document, section: Block, types: Collection[str]
) -> dict[str, Signature]:
    """Every declared predicate; none may be declared twice."""
    predicates: dict[str, Signature] = {}
    lines: dict[str, int] = {}
    for item in section[1:]:
        name, signature = _signature(document, item, types, "predicate")
        if name in predicates:
            sentence = (
                f"the predicate '{name}' is declared twice (first on line {lines[name]}), "
                "remove one declaration"
            )
            raise document.error(item, sentence, "repeated-predicate")
        predicates[name], lines[name] = signature, item.line
    return predicates


def read_functions(
    document: Document, section: Block, types: Collection[str]
) -> dict[str, Signature]:
    """Every declared function; only numbers are allowed as values."""
    functions: dict[str, Signature] = {}
    position = 1
    while position < len(section):
        item = section[position]
        if item == "-":
            _check_function_type(document, section, position)
            position += 2
            continue
        name, signature = _signature(document, item, types, "function")
        functions[name] = signature
        position += 1
    return functions


def _check_function_type(document: Document, section: Block, position: int) -> None:
    kind = section[position + 1] if position + 1 < len(section) else None
    if kind != "number":
        place = kind if kind is not None else section
        raise document.unsupported(place, "':functions'", "functions whose values are objects")


def _signature(
    document: Document, item: Expression, types: Collection[str], kind: str
) -> tuple[str, Signature]:
    if isinstance(item, Word) or not item or not isinstance(item[0], Word):
        raise document.error(item, f"a {kind} is declared as (NAME ?ARGUMENT ...)")
    name = item[0]
    entries = list(typed_list(document, item[1:]))
    for entry in entries:
        check_types(document, entry, types)
        require_variable(document, entry.name, item[1:], types, f"the {kind} '{name}'")
    return str(name), tuple(tuple(map(str, entry.types)) or (ROOT_TYPE,) for entry in entries)
