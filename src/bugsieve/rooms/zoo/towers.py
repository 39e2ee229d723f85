"""Random blocksworld configurations, every one equally likely (Slaney and Thiébaux, 2001)."""

from __future__ import annotations

from bugsieve.base.seeds import Stream

Below = dict[str, "str | None"]
"""The block or table below each block; None is the table."""


def random_towers(blocks: list[str], rng: Stream) -> Below:
    """A configuration drawn uniformly from all ways to pile up these blocks.

    Blocks begin as floating towers of one. One after another is put on the table or on another
    tower, with probabilities in the ratio of the configurations that remain possible then.
    """
    below: Below = {}
    floating = {block: block for block in blocks}  # bottom block -> top block
    grounded: list[str] = []  # top blocks of the towers that reach the table
    for bottom in blocks:
        top = floating.pop(bottom)
        on_table = _completions(len(floating), len(grounded) + 1)
        on_tower = _completions(len(floating), len(grounded))
        draw = rng.integer(1, on_table + (len(floating) + len(grounded)) * on_tower)
        if draw <= on_table:
            below[bottom] = None
            grounded.append(top)
            continue
        position = (draw - on_table - 1) // on_tower
        if position < len(grounded):
            below[bottom] = grounded[position]
            grounded[position] = top
        else:
            base = list(floating)[position - len(grounded)]
            below[bottom] = floating[base]
            floating[base] = top
    return below


def random_rearrangement(
    blocks: list[str], rng: Stream, *, on_table: str
) -> tuple[list[str], list[str]]:
    """Initial and goal atoms of a random task, `on_table` being the predicate's name.

    The goal is drawn again while it holds at once; a single block leaves no other goal.
    """
    start = random_towers(blocks, rng)
    init = _standing(start, on_table)
    under = set(start.values())
    init += [f"(clear {block})" for block in blocks if block not in under]
    while True:
        standing = _standing(random_towers(blocks, rng), on_table)
        goal = [atom for atom in standing if atom.startswith("(on ")] or standing
        if len(blocks) == 1 or not set(goal) <= set(init):
            return init, goal


def _standing(below: Below, on_table: str) -> list[str]:
    return [
        f"({on_table} {block})" if under is None else f"(on {block} {under})"
        for block, under in below.items()
    ]


def _completions(floating: int, grounded: int) -> int:
    """In how many ways this many floating towers can be placed, given the grounded ones.

    The sum over i of C(f, i) · (f + g - 1)! / (i + g - 1)!, each term made from the next.
    """
    term, total = 1, 1
    for placed in range(floating, 0, -1):
        term = term * placed * (placed + grounded - 1) // (floating - placed + 1)
        total += term
    return total
