"""Writes reports, once or again and again while a campaign runs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bugsieve.base.current_activity import doing
from bugsieve.base.errors import UsageError
from bugsieve.base.files_and_processes.files import write_text
from bugsieve.pictures import PICTURES
from bugsieve.reports.contents import Chapter, Contents
from bugsieve.reports.page import report_page
from bugsieve.reports.reading import MOST_BUGS, MOST_EXAMPLES, ReadingLimits, read_chapter

AnyPath = str | os.PathLike[str]
DEFAULT_FILE = "report.html"
SECONDS = 10.0
"""Between two versions of a file that follows a campaign."""


@dataclass(frozen=True)
class ReportOptions:
    """The options of a report."""

    folders: tuple[Path, ...]
    output: Path = Path(DEFAULT_FILE)
    full: bool = False
    """True if nothing is left out, however large the file becomes."""
    with_output: bool = False
    """True if the output of policies is shown."""
    picture: str | None = None
    """The spec of the pictures; None: what fits."""

    def __post_init__(self) -> None:
        if not self.folders:
            raise UsageError("a report needs at least one folder of a campaign")
        if self.picture is not None:
            PICTURES.check(self.picture)


def report(
    *folders: AnyPath,
    output: AnyPath = DEFAULT_FILE,
    full: bool = False,
    with_output: bool = False,
    picture: str | None = None,
) -> Path:
    """Write a page about campaigns, experiments or problem sets; returns its path.

    It is one file, which needs no network; equal folders give equal bytes. `full` leaves nothing
    out, `with_output` shows what policies have printed, `picture` is the spec of a picture.
    """
    paths = tuple(map(Path, folders))
    options = ReportOptions(paths, Path(output), full, with_output, picture)
    write_report(options)
    return options.output


def write_report(options: ReportOptions, *, follows: bool = False) -> bool:
    """Write the page; whether all campaigns have ended."""
    with doing("reading the campaigns"):
        chapters = [*_chapters(options)]
    contents = Contents(chapters, options.full, options.with_output, options.picture, follows)
    with doing("drawing the examples"):
        page = report_page(contents)
    write_text(options.output, page)
    return contents.is_finished


def _chapters(options: ReportOptions) -> Iterator[Chapter]:
    """The folders in order; each has an equal share of the room that those before it left."""
    bugs, examples = MOST_BUGS, MOST_EXAMPLES
    for rest, folder in zip(range(len(options.folders), 0, -1), options.folders, strict=True):
        most = None if options.full else bugs // rest
        chapter = read_chapter(folder, ReadingLimits(most, max(1, examples // rest)))
        bugs -= sum(len(part.bugs) for part in chapter.campaigns)
        examples -= sum(cause.example.exhibit is not None for cause in chapter.causes)
        yield chapter


def follow(
    options: ReportOptions,
    *,
    tell: Callable[[], None],
    wait: Callable[[float], None] = time.sleep,
) -> None:
    """Write the page again and again until all campaigns have ended; `tell` once it goes on."""
    is_over = write_report(options, follows=True)
    if not is_over:
        tell()
    while not is_over:
        wait(SECONDS)
        is_over = write_report(options, follows=True)
