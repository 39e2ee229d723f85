"""Blocksworld with four operators: one arm rearranges towers of blocks on a table."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, count
from bugsieve.rooms.zoo.problems import PddlProblem, numbered
from bugsieve.rooms.zoo.towers import random_rearrangement

SUMMARY = "an arm rearranges towers of blocks"


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task; initial and goal towers are drawn uniformly."""

    blocks: int = count(5, "number of blocks", maximum=500)


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: all blocks can be put on the table, and any towers be built from there."""
    blocks = numbered("b", options.blocks)
    init, goal = random_rearrangement(blocks, rng, on_table="ontable")
    return PddlProblem(objects={"block": blocks}, init=["(handempty)", *init], goal=goal)
