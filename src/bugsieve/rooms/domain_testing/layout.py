"""PDDL text of a tree, in lines that people read; comments are not kept."""

from __future__ import annotations

from collections.abc import Iterator

from bugsieve.tasks.pddl.reader import Block, Expression, Word, to_text

_WIDTH = 96
_DEEPEST = 40  # text further to the right is written in one line


def readable_text(root: Block) -> str:
    """The tree as a file: what fits stands on one line, other blocks have a line per part."""
    return "\n".join(_lines(root, 0)) + "\n"


def _lines(item: Expression, indent: int) -> Iterator[str]:
    text = " " * indent + to_text(item)
    if len(text) <= _WIDTH or indent >= _DEEPEST or isinstance(item, Word) or len(item) < 2:
        yield text
        return
    words = next((i for i, part in enumerate(item) if isinstance(part, Block)), len(item))
    count = min(words, 2) if words < len(item) else 1  # the leading words stay on the first line
    yield " " * indent + "(" + " ".join(map(to_text, item[:count]))
    inner = [line for part in item[count:] for line in _lines(part, indent + 2)]
    yield from inner[:-1]
    yield inner[-1] + ")"
