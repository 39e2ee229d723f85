"""The tree of models of a training, as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bugsieve.rooms.training.candidates import Candidate, scores

_BRANCH, _LAST, _DOWN, _NOTHING = "├─ ", "└─ ", "│  ", "   "


def tree_lines(candidates: Sequence[Candidate], marks: Mapping[int, str]) -> list[str]:
    """A line per model: its score, what it solves, and the mark if it has one.

    Below a model come those that were trained from it. An only child stands right below its
    parent, so that lines stay lines.
    """
    children = children_of(candidates)
    texts = _texts(candidates, marks)
    lines: list[str] = []
    todo = [(root.number, "", "") for root in reversed(candidates) if root.parent is None]
    while todo:  # lines may be longer than Python recurses
        number, first, rest = todo.pop()
        lines.append(f"{first}{texts[number]}")
        below = children[number]
        if len(below) == 1:
            todo.append((below[0], rest, rest))
            continue
        for place, child in reversed(list(enumerate(below))):
            is_last = place == len(below) - 1
            branch, down = (_LAST, _NOTHING) if is_last else (_BRANCH, _DOWN)
            todo.append((child, rest + branch, rest + down))
    return lines


def children_of(candidates: Sequence[Candidate]) -> list[list[int]]:
    """For each model those that were trained from it."""
    children: list[list[int]] = [[] for _ in candidates]
    for candidate in candidates:
        if candidate.parent is not None:
            children[candidate.parent].append(candidate.number)
    return children


def _texts(candidates: Sequence[Candidate], marks: Mapping[int, str]) -> list[str]:
    found = scores(candidates)
    width = len(str(len(candidates) - 1))
    texts = []
    for candidate in candidates:
        solved = f"solves {candidate.solved_validation}"
        if candidate.parent is None:
            solved += ", untrained"
        mark = marks.get(candidate.number)
        end = f"  <- {mark}" if mark else ""
        score = float(found[candidate.number])
        texts.append(f"{candidate.number:{width}}  score {score:.3f}, {solved}{end}")
    return texts
