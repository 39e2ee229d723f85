"""`--rules FILE`: a model is unsafe where a rule of the file is broken."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bugsieve.rooms.jani.model.model import JaniModel
    from bugsieve.rooms.jani.model.properties import PropertyFiles
    from bugsieve.rooms.jani.model.types import Value


class BrokenRules:
    """A rules file of safety rules as the source of danger; light until a model is loaded."""

    usage = "--rules FILE"
    clash = (
        "--rules and --unsafe are two unsafety conditions: write the one of --unsafe as a rule, "
        "'G !…'"
    )

    def __init__(self, file: Path) -> None:
        self._file = file

    @staticmethod
    def add_option(group: argparse._ArgumentGroup) -> None:
        """Add the argument to the options of a command."""
        group.add_argument(
            "--rules",
            type=Path,
            metavar="FILE",
            help="a rules file of safety rules: what breaks one of them is unsafe, and nothing "
            "else",
        )

    def load_jani(
        self,
        model: Path,
        source: Path | PropertyFiles | None,
        *,
        constants: Mapping[str, Value],
        property_name: str | None,
    ) -> JaniModel:
        """A model in JANI, with start and goal of its property if it has one."""
        from bugsieve.rooms.rules.models.loading import load_ruled_model

        return load_ruled_model(
            model, self._file, source, constants=constants, property_name=property_name
        )

    def load_fond(self, domain: Path, problem: Path) -> JaniModel:
        """PDDL with `oneof` as a model."""
        from bugsieve.rooms.rules.models.loading import load_ruled_fond

        return load_ruled_fond(domain, problem, self._file)
