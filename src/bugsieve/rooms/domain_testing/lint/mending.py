"""Mends invalid PDDL, one mistake after the other, so that an error hides nothing behind it.

The checks of `tasks.pddl` stop at the first mistake and say where it is and by which code. Here it
becomes a finding, a copy of the file is mended as it was most likely meant, and the checks begin
anew. What cannot be mended by its code is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeAlias, TypeVar

from bugsieve.rooms.domain_testing.lint.findings import CODES, LintFinding
from bugsieve.rooms.domain_testing.places import Path, at
from bugsieve.tasks.pddl.declarations import ROOT_TYPE
from bugsieve.tasks.pddl.formulas import QUANTIFIERS
from bugsieve.tasks.pddl.reader import (
    Block,
    Document,
    Expression,
    PddlError,
    Word,
    make_block,
    make_word,
    to_text,
)

_T = TypeVar("_T")
_MAX_ERRORS = 100
_MAX_WORK = 4_000_000  # bytes: all of a file is checked anew after each error that was mended

_FOLLOWING = ("repeated-object", "type-mismatch")
"""Errors of a problem that are no more than what was declared for the domain."""

_Mend: TypeAlias = Callable[[Block, Path], None]
Mends: TypeAlias = Mapping[str, tuple[_Mend, str]]
"""By the code of an error how it is mended, and what follows for later checks: "plain" for
nothing, "invented" and "partial" as in `Mended`."""


@dataclass
class Mended:
    """A copy of a file, what was wrong with it, and what was done about that."""

    document: Document
    mends: Mends
    findings: list[LintFinding] = field(default_factory=list)
    is_invented: bool = False
    """True if something was added that the file lacks: it is then unknown what can be reached."""
    is_partial: bool = False
    """True if something was left out: an unused name may be used there."""
    invented: set[str] = field(default_factory=set)
    """Names that were declared; a problem that declares them, too, is right about it."""

    def checked(self, check: Callable[[Document], _T]) -> _T | None:
        """The result of the check on the file, mended as often as needed; None if that fails.

        Errors about other files, and those that name no place, are the caller's.
        """
        most = min(_MAX_ERRORS, 1 + _MAX_WORK // (len(self.document.data) + 1))
        for _ in range(most):
            try:
                return check(self.document)
            except PddlError as error:
                if not self._mend(error):
                    break
        return None

    def _mend(self, error: PddlError) -> bool:
        """Take note of the error and mend it; false where that is not possible."""
        root = _copy(self.document.root)
        path = None
        if not isinstance(error.place, int):
            path = _path_to(self.document.root, error.place)
        if path is None:
            raise error
        if not (error.code in _FOLLOWING and str(error.place) in self.invented):
            self.findings.append(error_finding(error, self.document.path))
        if not path:
            return False
        mend, kind = self.mends.get(error.code, (leave_out, "partial"))
        mend(root, path)
        if root == self.document.root:
            leave_out(root, path)
            kind = "partial"
        if kind == "partial" and _keyword(self.document.root, path) == ":init":
            kind = "invented"  # which atoms are true decides what is reached, and nothing else
        self.is_invented |= kind == "invented"
        self.is_partial |= kind == "partial"
        self.invented |= {str(error.place)} if error.code == "unknown-object" else set()
        self.document = replace(self.document, data=to_text(root).encode(), root=root)
        return True


def error_finding(error: PddlError, path: str) -> LintFinding:
    """The error as a finding."""
    return LintFinding(error.code, path, error.line, error.sentence, CODES[error.code][0])


def _copy(item: Block) -> Block:
    parts = (_copy(part) if isinstance(part, Block) else part for part in item)
    return make_block(item.line, *parts)


def _path_to(root: Block, place: Expression) -> Path | None:
    """The way to the very expression; others may be equal to it."""
    pending: list[tuple[Expression, Path]] = [(root, ())]
    while pending:
        item, path = pending.pop()
        if item is place:
            return path
        if isinstance(item, Block):
            pending += [(part, (*path, index)) for index, part in enumerate(item)]
    return None


def _block(root: Block, path: Path) -> Block:
    found = at(root, path)
    assert isinstance(found, Block)
    return found


def _word(root: Block, path: Path) -> Word:
    found = at(root, path)
    assert isinstance(found, Word)
    return found


def _section(root: Block, keyword: str) -> Block:
    """The section of that name, which is added where the file has none."""
    for item in root[2:]:
        if isinstance(item, Block) and item[:1] == [keyword]:
            return item
    section = make_block(root.line, make_word(keyword, root.line))
    root.append(section)
    return section


def _keyword(root: Block, path: Path) -> str:
    """The keyword of the section in which the place is."""
    section = root[path[0]]
    return str(section[0]) if isinstance(section, Block) and section else ""


def leave_out(root: Block, path: Path) -> None:
    """Drop the item of a section, or the action, in which the place is."""
    keyword = _keyword(root, path)
    if len(path) > 1 and keyword == ":goal":
        goal = _block(root, path[:1])
        goal[1:] = [make_block(goal.line, make_word("and", goal.line))]
        return
    short = path[:1] if keyword == ":action" else path[:2]
    del _block(root, short[:-1])[short[-1]]


def _drop(root: Block, path: Path) -> None:
    del _block(root, path[:-1])[path[-1]]


def _drop_field(root: Block, path: Path) -> None:
    block = _block(root, path[:-1])
    del block[path[-1] : path[-1] + 2]


def _drop_action(root: Block, path: Path) -> None:
    del root[path[0]]


def _declare_type(root: Block, path: Path) -> None:
    types = _section(root, ":types")
    types += _typed(_word(root, path), ROOT_TYPE)


def _typed(name: Word, kind: str) -> list[Expression]:
    return [name, make_word("-", name.line), make_word(kind, name.line)]


def _free_type(root: Block, path: Path) -> None:
    """Put the type directly below the root; the other types of its list stay where they are."""
    name = _word(root, path)
    _drop(root, path)
    section = _block(root, path[:1])
    section += _typed(name, ROOT_TYPE)


def _forget_type(root: Block, path: Path) -> None:
    name = _word(root, path)
    _block(root, path[:-1])[path[-1]] = make_word(ROOT_TYPE, name.line)


def _declare_predicate(root: Block, path: Path) -> None:
    atom = _block(root, path[:-1])
    names = [make_word(f"?x{number}", atom.line) for number in range(1, len(atom))]
    _section(root, ":predicates").append(make_block(atom.line, atom[0], *names))


def _declare_function(root: Block, path: Path) -> None:
    call = at(root, path)
    words = call if isinstance(call, Block) else [call]
    names = [make_word(f"?x{number}", call.line) for number in range(1, len(words))]
    _section(root, ":functions").append(make_block(call.line, words[0], *names))


def _declare_object(root: Block, path: Path) -> None:
    constants = _section(root, ":constants")
    constants += _typed(_word(root, path), _argument_type(root, path))


def _argument_type(root: Block, path: Path) -> str:
    """The type that the predicate of an atom takes in the place of one of its terms."""
    atom = _block(root, path[:-1])
    for item in _section(root, ":predicates")[1:]:
        if isinstance(item, Block) and item[:1] == atom[:1]:
            variables = 0
            for word, following in pairwise(item):
                if word == "-" and variables >= path[-1] and isinstance(following, Word):
                    return str(following)
                variables += isinstance(word, Word) and word.startswith("?")
    return ROOT_TYPE


def _parameters(action: Block) -> Block:
    """The parameters of an action, which are added where it has none."""
    for index, item in enumerate(action[:-1]):
        if item == ":parameters":
            found = action[index + 1]
            if isinstance(found, Block):
                return found
    added = make_block(action.line)
    action[2:2] = [make_word(":parameters", action.line), added]
    return added


def _declare_variable(root: Block, path: Path) -> None:
    name = _word(root, path)
    parameters = _parameters(_block(root, path[:1]))
    parameters += _typed(name, ROOT_TYPE)


def _declare_all_variables(root: Block, path: Path) -> None:
    action = _block(root, path[:1])
    names = dict.fromkeys(_free_variables(action[2:], frozenset()))
    parameters = _parameters(action)
    for name in names:
        parameters += _typed(make_word(name, action.line), ROOT_TYPE)


def _free_variables(items: list[Expression], bound: frozenset[str]) -> Iterator[str]:
    for item in items:
        if isinstance(item, Word):
            if item.startswith("?") and item not in bound:
                yield str(item)
        elif item[:1] and item[0] in QUANTIFIERS and len(item) > 2 and isinstance(item[1], Block):
            own = {str(word) for word in item[1] if isinstance(word, Word)}
            yield from _free_variables(item[2:], bound | own)
        else:
            yield from _free_variables(item, bound)


def _fit_arguments(root: Block, path: Path) -> None:
    """Declare the predicate as it is used here, where it was declared for other numbers."""
    atom = _block(root, path)
    for section in (":predicates", ":functions"):
        declared = _section(root, section)
        for item in declared[1:]:
            if isinstance(item, Block) and item[:1] == atom[:1]:
                _adjust(root, path, atom, _count_arguments(item))


def _count_arguments(declaration: Block) -> int:
    return sum(isinstance(word, Word) and word.startswith("?") for word in declaration)


def _adjust(root: Block, path: Path, atom: Block, wanted: int) -> None:
    """Drop arguments that are too many, and take further parameters for those that lack."""
    del atom[wanted + 1 :]
    parameters = _parameters(_block(root, path[:1]))
    for number in range(len(atom), wanted + 1):
        name = make_word(f"?lacking{atom.line}-{number}", atom.line)
        atom.append(name)
        parameters += _typed(name, ROOT_TYPE)


def _add_dash(root: Block, path: Path) -> None:
    name = _word(root, path)
    _block(root, path[:-1]).insert(path[-1], make_word("-", name.line))


def _add_question_mark(root: Block, path: Path) -> None:
    name = _word(root, path)
    _block(root, path[:-1])[path[-1]] = make_word(f"?{name}", name.line)


def _add_blank(root: Block, path: Path) -> None:
    """Take the '-' off the word itself, or off the one before it."""
    block, index, name = _block(root, path[:-1]), path[-1], _word(root, path)
    dash = make_word("-", name.line)
    if name.startswith("-"):
        block[index : index + 1] = [dash, make_word(name[1:], name.line)]
        return
    before = block[index - 1]
    assert isinstance(before, Word)
    block[index - 1 : index] = [make_word(before[:-1], before.line), dash]


DOMAIN_MENDS: Mends = {
    "unknown-type": (_declare_type, "invented"),
    "unknown-predicate": (_declare_predicate, "invented"),
    "unknown-function": (_declare_function, "invented"),
    "unknown-variable": (_declare_variable, "invented"),
    "unknown-object": (_declare_object, "invented"),
    "wrong-arity": (_fit_arguments, "invented"),
    "missing-parameters": (_declare_all_variables, "invented"),
    "repeated-action": (_drop_action, "plain"),
    "repeated-predicate": (_drop, "plain"),
    "repeated-field": (_drop_field, "plain"),
    "repeated-object": (_drop, "plain"),
    "repeated-variable": (_drop, "plain"),
    "cyclic-types": (_free_type, "plain"),
    "long-type-cycle": (_free_type, "plain"),
    "missing-dash": (_add_dash, "plain"),
    "missing-question-mark": (_add_question_mark, "plain"),
    "missing-blank": (_add_blank, "plain"),
}
PROBLEM_MENDS: Mends = {
    "unknown-type": (_forget_type, "partial"),
    "repeated-object": (_drop, "plain"),
    "missing-blank": (_add_blank, "plain"),
}
