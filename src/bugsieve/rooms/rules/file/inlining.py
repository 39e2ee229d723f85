"""Atoms that use other atoms: circles are found, and what is used is put in its place.

Inside a condition a name means the predicate of the domain if there is one, else the atom.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from itertools import chain

from bugsieve.base.errors import InputError
from bugsieve.rooms.rules.file.actions import is_did
from bugsieve.rooms.rules.file.atoms import MAX_CONDITION_DEPTH, AtomDeclaration
from bugsieve.tasks.pddl.formulas import JUNCTIONS, QUANTIFIERS
from bugsieve.tasks.pddl.reader import Block, Document, Expression, Word, make_block, make_word

MAX_WORDS = 100_000
"""Of one condition with all that was put in."""

Names = Mapping[str, str]


def substituted(item: Expression, names: Names) -> Expression:
    """The condition with other terms for its free variables, which no quantifier may catch."""
    if isinstance(item, Word):
        return make_word(names.get(item, item), item.line)
    own = _own_variables(item)
    inner = {name: term for name, term in names.items() if name not in own} if own else names
    return make_block(item.line, *(substituted(part, inner) for part in item))


def _own_variables(item: Block) -> list[Word]:
    """The variables of a quantifier; none of any other part."""
    is_quantifier = len(item) == 3 and item[0] in QUANTIFIERS and isinstance(item[1], Block)
    names = item[1] if is_quantifier else ()
    return [word for word in names if isinstance(word, Word) and word.startswith("?")]


class Inliner:
    """Makes conditions without other atoms of those that have been checked."""

    def __init__(self, atoms: Mapping[str, AtomDeclaration], predicates: Collection[str]) -> None:
        self.atoms = atoms
        self.predicates = predicates
        self.documents: dict[str, Document] = {
            name: atom.condition
            for name, atom in atoms.items()
            if isinstance(atom.condition, Document)
        }
        self.bodies: dict[str, Block] = {}
        self.sizes: dict[str, tuple[int, int]] = {}
        self.copies: dict[str, int] = {}
        words = chain.from_iterable(_words(document.root) for document in self.documents.values())
        self.used: set[str] = set()
        self.taken = {str(word) for word in words if word.startswith("?")}

    def run(self) -> dict[str, Block]:
        """The conditions by names in lower case; places in what was put in are its user's."""
        for name in self._order():
            self.sizes[name] = self._measured(name)
            body = self._copied(self.documents[name].root)
            assert isinstance(body, Block)
            self.bodies[name] = body
        return self.bodies

    def _order(self) -> list[str]:
        """The atoms in an order in which each comes after those it uses."""
        used = {
            name: [str(block[0]) for block in self._uses(document.root)]
            for name, document in self.documents.items()
        }
        self.used = {name for names in used.values() for name in names}
        try:
            return list(TopologicalSorter(used).static_order())
        except CycleError as error:
            raise self._circle(error.args[1][:0:-1]) from None

    def _circle(self, names: list[str]) -> InputError:
        """The error about atoms of which each uses the next, and the last the first."""
        first = min(range(len(names)), key=lambda place: list(self.documents).index(names[place]))
        names = names[first:] + names[:first]
        document = self.documents[names[0]]
        following = names[1 % len(names)]
        place = next(block for block in self._uses(document.root) if block[0] == following)
        circle = " -> ".join(f"'{self.atoms[name].name}'" for name in (*names, names[0]))
        return document.error(place, f"atoms use each other in a circle: {circle}")

    def _uses(self, root: Block) -> Iterator[Block]:
        """The parts of a condition that are atoms of the file."""
        return (block for block in _leaves(root) if self._is_use(block))

    def _is_use(self, block: Block) -> bool:
        name = block[0] if block else None
        return (
            isinstance(name, Word)
            and name in self.documents
            and name not in self.predicates
            and not is_did(block)
        )

    def _measured(self, name: str) -> tuple[int, int]:
        """The number of words and of levels of the condition when all is put in; bounded."""
        document = self.documents[name]
        size = depth = 0
        pending: list[tuple[Expression, int]] = [(document.root, 1)]
        while pending:
            item, level = pending.pop()
            more, levels = (1, 0)
            if isinstance(item, Block):
                if self._is_use(item):
                    more, below = self.sizes[str(item[0])]
                    levels = below - 1
                pending += ((part, level + 1) for part in item)
            size += more
            depth = max(depth, level + levels)
            if size > MAX_WORDS or depth > MAX_CONDITION_DEPTH + 1:
                raise document.error(
                    item,
                    f"with the atoms it uses, the condition of '{self.atoms[name].name}' has more "
                    f"than {MAX_WORDS} words or {MAX_CONDITION_DEPTH} levels",
                )
        return size, depth

    def _copied(self, item: Expression) -> Expression:
        if isinstance(item, Word):
            return item
        if not self._is_use(item):
            return make_block(item.line, *map(self._copied, item))
        name = str(item[0])
        terms = map(str, item[1:])
        names = dict(zip(self.atoms[name].parameters.types, terms, strict=True))
        return self._put_in(self.bodies[name], names, item.line)

    def _put_in(self, item: Expression, names: Names, line: int) -> Expression:
        """A copy with other terms, whose quantifiers have new variables."""
        if isinstance(item, Word):
            return make_word(names.get(item, item), line)
        own = {str(word): self._fresh(word) for word in _own_variables(item)}
        inner = {**names, **own} if own else names
        return make_block(line, *(self._put_in(part, inner, line) for part in item))

    def _fresh(self, variable: str) -> str:
        fresh = variable
        while fresh in self.taken:
            self.copies[variable] = self.copies.get(variable, 0) + 1
            fresh = f"{variable}-{self.copies[variable]}"
        self.taken.add(fresh)
        return fresh


def _leaves(root: Block) -> Iterator[Block]:
    """The parts of a checked condition that are neither junctions nor quantifiers."""
    pending: list[Expression] = [root]
    while pending:
        item = pending.pop()
        if not isinstance(item, Block) or not item:
            continue
        if item[0] in QUANTIFIERS:
            pending += item[2:]
        elif item[0] in JUNCTIONS:
            pending += reversed(item[1:])
        else:
            yield item


def _words(root: Block) -> Iterator[Word]:
    pending: list[Expression] = [root]
    while pending:
        item = pending.pop()
        if isinstance(item, Word):
            yield item
        else:
            pending += item
