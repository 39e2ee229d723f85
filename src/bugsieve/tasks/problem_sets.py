"""Several problems of one domain: what a list of files, folders and patterns stands for."""

from __future__ import annotations

import glob
import os
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bugsieve.base.errors import InputError, UsageError
from bugsieve.tasks.sources import DOMAIN_FILE, PROBLEM_FILE

_LONGEST_NAME = 60


@dataclass(frozen=True)
class ProblemFiles:
    """A task by its files, and a name that no other problem of its set has."""

    name: str
    """Fit to be that of a folder."""
    files: tuple[str, ...]
    """A domain and a problem in PDDL, or one SAS file."""


def problems_of(*given: str) -> tuple[ProblemFiles, ...]:
    """The tasks that arguments stand for, in an order that does not depend on theirs, each once.

    - a domain and problems, folders of problems, or patterns such as `p*.pddl`;
    - folders that hold domain.pddl and problem.pddl, or domain.pddl and other problems, or such
      folders;
    - SAS files.
    """
    paths = [path for item in given for path in _expanded(item)]
    if not paths or all(map(os.path.isdir, paths)):
        tasks = [task for folder in paths for task in _tasks_in(folder)]
    elif all(path.endswith(".sas") for path in paths):
        tasks = [(path,) for path in paths]
    elif os.path.isdir(paths[0]):
        raise UsageError(f"{paths[0]}: is a folder; give the domain file first, then problems")
    else:
        domain, *others = paths
        found = [path for other in others for path in _problems_in(other, domain)]
        tasks = [(domain, path) for path in found] if others else [(domain,)]
    return _named(tasks)


def problems_beside(given: Sequence[str], domain: str | None) -> tuple[ProblemFiles, ...]:
    """The tasks of problems, folders or patterns with their domain.

    Without one, problems have a domain.pddl beside them. A pattern that fits the domain, too,
    leaves it out.
    """
    paths = [path for item in given for path in _expanded(item)]
    stand_alone = all(os.path.isdir(path) or path.endswith(".sas") for path in paths)
    if not paths or (domain is None and stand_alone):
        return problems_of(*paths)
    if domain is None:
        folders = dict.fromkeys(os.path.dirname(path) for path in paths)
        parts = [
            problems_beside(
                [path for path in paths if os.path.dirname(path) == folder],
                os.path.join(folder, DOMAIN_FILE),
            )
            for folder in folders
        ]
        return _named(problem.files for part in parts for problem in part)
    if not os.path.isfile(domain):
        raise InputError(f"{domain}: there is no such domain file; name the one of {paths[0]}")
    own = os.path.realpath(domain)
    return problems_of(domain, *(path for path in paths if os.path.realpath(path) != own))


def _expanded(item: str) -> list[str]:
    """The files that a pattern stands for; a name that is not a pattern stands for itself."""
    if os.path.lexists(item) or not glob.has_magic(item):
        return [item]
    found = sorted(glob.glob(item))
    if not found:
        raise InputError(f"{item}: no file is named like this")
    return found


def _problems_in(given: str, domain: str) -> list[str]:
    """The file itself, or the PDDL files of a folder apart from domains."""
    if not os.path.isdir(given):
        return [given]
    own = os.path.realpath(domain)
    found = [
        os.path.join(given, name)
        for name in sorted(os.listdir(given))
        if name.endswith(".pddl") and name != DOMAIN_FILE
    ]
    found = [path for path in found if os.path.realpath(path) != own]
    if not found:
        raise InputError(f"{given}: is a folder without PDDL problems")
    return found


def _tasks_in(folder: str) -> list[tuple[str, ...]]:
    """The tasks of a folder with a domain, or of folders in it; a problem.pddl is the only one."""
    domain = os.path.join(folder, DOMAIN_FILE)
    if os.path.isfile(os.path.join(folder, PROBLEM_FILE)):
        return [(domain, os.path.join(folder, PROBLEM_FILE))]
    if os.path.isfile(domain):
        return [(domain, problem) for problem in _problems_in(folder, domain)]
    inner = sorted(entry.path for entry in os.scandir(folder) if entry.is_dir())
    inside = [path for path in inner if os.path.isfile(os.path.join(path, DOMAIN_FILE))]
    if not inside:
        raise InputError(
            f"{folder}: is a folder that holds no {DOMAIN_FILE}, nor do the folders in it; "
            "give a domain and problem files, or .sas files"
        )
    return [task for path in inside for task in _tasks_in(path)]


def _named(tasks: Iterable[tuple[str, ...]]) -> tuple[ProblemFiles, ...]:
    """Each task once, in the order of its files, with a name of its own."""
    absolute = {tuple(map(os.path.abspath, files)): files for files in tasks}
    ordered = sorted(absolute)
    names = told_apart(_short_names([Path(files[-1]) for files in ordered]))
    return tuple(
        ProblemFiles(name, absolute[files]) for name, files in zip(names, ordered, strict=True)
    )


def _short_names(paths: Sequence[Path]) -> list[str]:
    """The stems of files, with the folders where that is not enough."""
    short = [path.parent.name if path.name == PROBLEM_FILE else path.stem for path in paths]
    count = Counter(short)
    return [
        name if count[name] == 1 else f"{path.parent.name}-{path.stem}"
        for name, path in zip(short, paths, strict=True)
    ]


def told_apart(texts: Sequence[str]) -> list[str]:
    """Names of folders like the texts, with numbers where two would be the same."""
    names = [folder_name(text) for text in texts]
    used: set[str] = set()
    for place, name in enumerate(names):
        number = 1
        while names[place].casefold() in used:  # some file systems do not tell cases apart
            number += 1
            names[place] = f"{name}-{number}"
        used.add(names[place].casefold())
    return names


def folder_name(text: str) -> str:
    """The text as the name of a folder: one that is such a name already stays as it is."""
    letters = "".join(c if c.isalnum() or c in "-_." else "-" for c in text[:_LONGEST_NAME])
    return letters.lstrip(".") or "problem"
