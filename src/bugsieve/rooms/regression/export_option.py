"""The options of `export` that write regression tests."""

from __future__ import annotations

import argparse
from typing import Any

from bugsieve.base.wording import counted
from bugsieve.commands.shared.options import Options
from bugsieve.commands.shared.streams import show


class RegressionExport:
    """Writes bugs of a campaign as tests for pytest."""

    def add_options(self, parser: argparse.ArgumentParser, forms: Any) -> None:
        """Add `--regression`, and what says where and which."""
        forms.add_argument(
            "--regression",
            action="store_true",
            help="tests for pytest: a .bug.json file for each cause, and their tasks, in the "
            "folder that -o names",
        )
        options = Options(parser, "regression tests")
        options.output("OUT", "where they go, as in tests/bugs; files that are there stay")
        options.add(
            "--all", action="store_true", help="a test for every bug, not one for each cause"
        )

    def is_asked(self, args: argparse.Namespace) -> bool:
        """Return true if the options ask for it; an error of the parser if they are at odds."""
        if args.regression != (args.output is not None) or (args.all and not args.regression):
            args.parser.error("it is 'bugsieve export --regression DIR -o OUT [--all]'")
        return bool(args.regression)

    def write(self, args: argparse.Namespace) -> int:
        """Write the tests and say how they are run; the exit code."""
        from bugsieve.rooms.regression.export import export_regression

        found = export_regression(args.folder, args.output, every=args.all)
        stays = "stays as it was" if len(found.kept) == 1 else "stay as they were"
        kept = f"; {counted(len(found.kept), 'test')} {stays}" if found.kept else ""
        show(f"wrote {counted(len(found.written), 'test')} to {args.output}{kept}")
        show(f"run them: pytest {args.output} --bugsieve-policy SPEC")
        return 0


REGRESSION = RegressionExport()
