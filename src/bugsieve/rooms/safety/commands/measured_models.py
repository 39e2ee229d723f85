"""Measures policies on models: each test is one run from a drawn start, judged for safety."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bugsieve.rooms.jani import model_arguments
from bugsieve.rooms.safety.commands import safety_arguments
from bugsieve.rooms.safety.oracles.limits import DEFAULT_LIMITS

if TYPE_CHECKING:
    from bugsieve.campaigns.python_calls.bugs import Bugs
    from bugsieve.rooms.safety.campaign.found_bug import FoundSafetyBug


class ModelSampler:
    """Draws runs of policies on models."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        """What a model leaves open."""
        model_arguments.add_property_arguments(parser)

    def is_named(self, args: argparse.Namespace) -> bool:
        """Return true if a model is named; else its options are an error."""
        first = args.task[0] if args.task else Path()
        is_jani = first.suffix.lower() == ".jani" or (first / "model.jani").is_file()
        if is_jani or args.unsafe is not None:
            return True
        for name in ("constant", "property_name", "start", "goal"):
            if getattr(args, name):
                args.parser.error(f"--{name.replace('_', '-')} is for models")
        return False

    def run(self, args: argparse.Namespace) -> int:
        """Measure the model that the arguments name; the exit code."""
        from bugsieve.commands.shared.campaign_report import run_new

        again = _safety_arguments(args)
        options = safety_arguments.safety_options_of(again)
        return run_new(again, options, model_arguments.model_from)

    def takes(self, subject: object) -> bool:
        """Return true if the subject is a model."""
        from bugsieve.rooms.jani.model.model import JaniModel

        return isinstance(subject, JaniModel)

    def find(
        self,
        subject: Any,
        policy: object,
        folder: str | os.PathLike[str] | None,
        settings: dict[str, Any],
    ) -> Bugs[FoundSafetyBug]:
        """The bugs in runs with these settings."""
        from bugsieve.rooms.safety.campaign.find import safety_bugs_on
        from bugsieve.rooms.safety.walks.options import SafetyFuzzOptions

        fuzz = SafetyFuzzOptions(choice="uniform", lookahead=1, seed=settings["policy_seed"])
        return safety_bugs_on(subject, policy, folder, fuzz=fuzz, shared_runs=1, **settings)


MODELS = ModelSampler()


def _safety_arguments(args: argparse.Namespace) -> argparse.Namespace:
    """The arguments as those of safety testing, for runs that are drawn and judged one by one."""
    args.parser.set_defaults(expansions=DEFAULT_LIMITS.expansions)
    again: argparse.Namespace = args.parser.parse_args(args.parser.words)
    if len(again.task) > 2:
        again.parser.error("one model is measured at a time")
    again.model, again.property = (*again.task, None)[:2]
    name, _, file = again.objective.partition(":")
    if name != "rules" and again.objective != again.parser.get_default("objective"):
        again.parser.error("--objective is for tasks; a model is measured for safety")
    again.rules = Path(file) if name == "rules" else None
    again.sample, again.choice, again.lookahead, again.shared_runs = "1/1", "uniform", None, 1
    return again
