"""Takes the longest whole prefix of visits out of a damaged campaign, for a new one to go on with.

The damaged folder is only copied from, and the policy is never asked: what proves the bugs that
are kept are their certificates.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bugsieve.base.arguments import require_folder
from bugsieve.base.errors import InputError, UsageError
from bugsieve.campaigns.campaign import AnyPath, make_folder
from bugsieve.campaigns.kind import Kind, kind_in
from bugsieve.campaigns.store.folder import check_free, restore
from bugsieve.campaigns.store.progress import CampaignHeader
from bugsieve.campaigns.store.salvage import Loss, Salvage
from bugsieve.campaigns.store.schema import STORE_FILE, explained


@dataclass(frozen=True)
class Salvaged:
    """What was kept of a campaign."""

    directory: Path
    visits: int
    bugs: int
    visit: str
    """What a visit is called in campaigns of this kind."""
    damage: str | None
    """The first damage; None if there is none."""


def salvage_campaign(directory: AnyPath, target: AnyPath) -> Salvaged:
    """Put what is whole of a campaign into a new folder; InputError if its header is not."""
    folder, new = require_folder(directory, "directory"), require_folder(target, "target")
    check_free(new)
    if not (folder / STORE_FILE).is_file():
        kind_in(folder)  # says what is there instead
    with tempfile.TemporaryDirectory(prefix="bugsieve-") as scratch:
        source, work = Path(scratch) / "source", Path(scratch) / "work"
        for path in (source, work):
            path.mkdir()
        with explained(folder):
            for name in (STORE_FILE, f"{STORE_FILE}-wal"):
                if (folder / name).exists():
                    shutil.copyfile(folder / name, source / name)
        try:
            kind, header = _header(source)
            loss = _salvage(kind, header, source, work)
        except InputError as error:
            sentence = str(error).partition("; 'bugsieve salvage ")[0]
            shown = sentence.replace(str(source), str(folder)).replace(str(work), str(folder))
            raise InputError(f"{shown}: nothing can be salvaged") from None
        return _moved(kind, work, new, loss)


def _header(source: Path) -> tuple[Kind[Any], CampaignHeader]:
    """What the campaign is about; without that nothing can go on."""
    kind = kind_in(source)
    if kind.salvage is None or kind.checker is None:
        raise UsageError(f"campaigns of {kind.name} cannot be salvaged")
    with kind.records(source) as records:
        kind.options.from_toml(records.header.options, name=str(source / "options.toml"))
        return kind, records.header


def _salvage(kind: Kind[Any], header: CampaignHeader, source: Path, work: Path) -> Loss:
    """Cut the copy until everything in it is whole, and all certificates are accepted."""
    assert kind.salvage is not None
    salvage: Salvage = kind.salvage(source, work)
    try:
        loss: Loss | None = Loss()
        while loss is not None:
            salvage.cut(loss)
            loss = _wrong(kind, header, work)
        return salvage.loss
    finally:
        salvage.close()


def _wrong(kind: Kind[Any], header: CampaignHeader, work: Path) -> Loss | None:
    """The first case or bug that only the task or the checker can tell to be wrong."""
    assert kind.checker is not None
    with kind.records(work) as records:
        case = kind.wrong_case(records)
        if case is not None:
            return Loss(case=case[0], what=case[1])
        bug = records.first_wrong_bug(kind.checker(header))
        if bug is None:
            kind.summarise(records)  # reads the rest
    return None if bug is None else Loss(visit=bug[0], what=bug[1])


def _moved(kind: Kind[Any], work: Path, new: Path, loss: Loss) -> Salvaged:
    lock = make_folder(new, lambda: _fill(work, new))
    try:
        with kind.records(new) as records:
            restore(records, kind.describe(records.header))
            kept = records.progress().visits, sum(records.bugs_by_kind().values())
    finally:
        lock.close()
    return Salvaged(new, *kept, kind.visit, loss.what)


def _fill(work: Path, new: Path) -> None:
    with explained(new):
        shutil.copyfile(work / STORE_FILE, new / f"{STORE_FILE}.part")
        (new / f"{STORE_FILE}.part").replace(new / STORE_FILE)
