"""What `export` writes of a campaign: a family, to which rooms add theirs.

Members are light, since the parser of the command asks them for their options.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Protocol

from bugsieve.base.commands import typed_words
from bugsieve.base.errors import UsageError
from bugsieve.base.registry import families
from bugsieve.base.registry.members import MemberTable
from bugsieve.base.wording import counted
from bugsieve.commands.shared.bug_arguments import offered
from bugsieve.commands.shared.streams import show


class Export(Protocol):
    """Writes one sort of files."""

    def add_options(self, parser: argparse.ArgumentParser, forms: Any) -> None:
        """Add an option to those of which one is given, and others that belong to it."""
        ...

    def is_asked(self, args: argparse.Namespace) -> bool:
        """Return true if the options ask for it; an error of the parser if they are at odds."""
        ...

    def write(self, args: argparse.Namespace) -> int:
        """Write the files and name them; the exit code."""
        ...


EXPORTS: MemberTable[Export] = MemberTable(families.EXPORTS)


class FileExport:
    """Writes to the path that its option names."""

    name: str
    """The option."""
    metavar = "OUT"
    text: str
    """Its help."""

    def add_options(self, parser: argparse.ArgumentParser, forms: Any) -> None:
        """Add the option."""
        forms.add_argument(f"--{self.name}", type=Path, metavar=self.metavar, help=self.text)

    def is_asked(self, args: argparse.Namespace) -> bool:
        """Return true if the option is given."""
        return self.target(args) is not None

    def target(self, args: argparse.Namespace) -> Any:
        """Where to write; None if the option is not given."""
        return getattr(args, self.name.replace("-", "_"))


class TableExport(FileExport):
    """Writes the records of a campaign as tables."""

    def __init__(self, name: str, text: str) -> None:
        self.name, self.text = name, text

    def write(self, args: argparse.Namespace) -> int:
        """Write the tables and name the files; the exit code."""
        from bugsieve.campaigns.export import export

        for path in export(args.folder, self.name, self.target(args)):
            show(f"wrote {path}")
        return 0


class BugExport(FileExport):
    """Writes a file for each bug."""

    def __init__(self, name: str, text: str, *, every: bool) -> None:
        self.name, self.text, self._every = name, text, every

    def write(self, args: argparse.Namespace) -> int:
        """Write the files and count them; the exit code."""
        from bugsieve.campaigns.export import export_bugs

        target = self.target(args)
        written = export_bugs(args.folder, target, every=self._every)
        show(f"wrote {counted(len(written), 'bug')} to {target}")
        return 0


class GreenExport(FileExport):
    """Writes the certificate of a campaign without bugs."""

    name, metavar = "green", "FILE"
    text = (
        "the certificate that there is no bug in all reachable states, or that the policy is safe "
        "from all start states"
    )

    def write(self, args: argparse.Namespace) -> int:
        """Write the certificate and say how it is checked; the exit code."""
        from bugsieve.campaigns.greens import write_green
        from bugsieve.campaigns.kind import kind_in

        kind, target = kind_in(args.folder), self.target(args)
        greens = offered(kind.greens, args.folder, kind.name)
        green = greens.stored(args.folder)
        if green is None:
            raise UsageError(f"{args.folder}: has no certificate that there is no bug")
        write_green(green, target)
        show(f"wrote {target}")
        words = typed_words(args.folder / greens.subject, target)
        show(f"check it: python -I -m {greens.checker} {words}")
        return 0


CSV, PARQUET = (
    TableExport(name, "a folder with one file per table") for name in ("csv", "parquet")
)
JSON = TableExport("json", "one file")
BUGS = BugExport(
    "bugs",
    "a folder with one file per bug; of tasks tested whole, those whose certificates are stored: "
    "the first 200 and three of each cause",
    every=False,
)
EVERY_BUG = BugExport("every-bug", "the same with a file for every bug", every=True)
GREEN = GreenExport()
