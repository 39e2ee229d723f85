"""Childsnack: sandwiches, some free of gluten, are made and served to waiting children."""

from __future__ import annotations

from dataclasses import dataclass

from bugsieve.base.seeds import Stream
from bugsieve.rooms.zoo.options import GeneratorOptions, count
from bugsieve.rooms.zoo.problems import PddlProblem, numbered

SUMMARY = "sandwiches are made and served, some of them free of gluten"


@dataclass(frozen=True)
class Options(GeneratorOptions):
    """Size of the task; there are just as many portions as children, so none may be wasted."""

    children: int = count(3, "number of children")
    allergic: int = count(1, "children who need a sandwich free of gluten", minimum=0)
    trays: int = count(1, "number of trays")
    tables: int = count(2, "number of places where children wait")
    spare: int = count(0, "sandwiches that may be made beyond one for each child", minimum=0)

    def _check_together(self) -> None:
        self._at_most("allergic", self.children, "the number of children")


def generate(options: Options, rng: Stream) -> PddlProblem:
    """Solvable: there are as many gluten-free breads and contents as allergic children."""
    children = numbered("child", options.children)
    tables = numbered("table", options.tables)
    trays = numbered("tray", options.trays)
    breads = numbered("bread", options.children)
    contents = numbered("content", options.children)
    sandwiches = numbered("sandw", options.children + options.spare)
    init = [f"(at {tray} kitchen)" for tray in trays]
    for stem, portions in (("bread", breads), ("content", contents)):
        init += [f"(at_kitchen_{stem} {portion})" for portion in portions]
        pure = rng.sample(portions, options.allergic)
        init += [f"(no_gluten_{stem} {portion})" for portion in portions if portion in pure]
    allergic = rng.sample(children, options.allergic)
    for child in children:
        init.append(f"({'' if child in allergic else 'not_'}allergic_gluten {child})")
        init.append(f"(waiting {child} {rng.choice(tables)})")
    init += [f"(notexist {sandwich})" for sandwich in sandwiches]
    return PddlProblem(
        objects={
            "child": children,
            "bread-portion": breads,
            "content-portion": contents,
            "sandwich": sandwiches,
            "tray": trays,
            "place": tables,
        },
        init=init,
        goal=[f"(served {child})" for child in children],
    )
