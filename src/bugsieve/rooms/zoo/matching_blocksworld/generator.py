"""Matching blocksworld: a block put down by the hand of the wrong polarity cannot carry others."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, count
from bugsieve.rooms.zoo.problems import PddlProblem, numbered
from bugsieve.rooms.zoo.towers import random_rearrangement

SUMMARY = "two hands rearrange towers, each safe for its own kind of blocks"


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task; there is one positive and one negative hand."""

    blocks: int = count(5, "number of blocks, each positive or negative at random", maximum=500)


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: all blocks are solid at first, and handled by their own hand they stay solid."""
    blocks = numbered("b", options.blocks)
    piles, goal = random_rearrangement(blocks, rng, on_table="on-table")
    init = ["(empty h1)", "(empty h2)", "(hand-positive h1)", "(hand-negative h2)"]
    for block in blocks:
        polarity = rng.choice(("positive", "negative"))
        init += [f"(block-{polarity} {block})", f"(solid {block})"]
    return PddlProblem(
        objects={"hand": ["h1", "h2"], "block": blocks}, init=[*init, *piles], goal=goal
    )
