"""The option of `export` that writes examples to learn from."""

from __future__ import annotations

import argparse

from bugsieve.base.wording import counted
from bugsieve.commands.shared.bug_arguments import for_kind
from bugsieve.commands.shared.exports import FileExport
from bugsieve.commands.shared.streams import show


class ExampleExport(FileExport):
    """Writes what the bugs of a campaign teach."""

    name, metavar = "examples", "FILE"
    text = "states with better actions (.jsonl, .parquet)"

    def write(self, args: argparse.Namespace) -> int:
        """Write the examples and count them; the exit code."""
        return for_kind(args.folder, {"cost": self._write})(args)

    def _write(self, args: argparse.Namespace) -> int:
        from bugsieve.rooms.training.bug_examples import export_examples

        target = self.target(args)
        found = export_examples(args.folder, target)
        show(f"wrote {counted(found, 'example')} to {target}")
        return 0


EXAMPLES = ExampleExport()
