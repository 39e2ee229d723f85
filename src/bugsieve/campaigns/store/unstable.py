"""The table of an export that says where the policy gave two answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from bugsieve.campaigns.store.records import CampaignRecords
from bugsieve.campaigns.store.table_files import Table
from bugsieve.pipeline.judging.findings import UnstableRow


def unstable_tables(records: CampaignRecords[Any]) -> dict[str, Table]:
    """One row per claim that is no bug because of that, or of the order of sets; none if none."""
    rows = records.unstable()
    return {"unstable": _table(rows)} if rows else {}


def _table(rows: Sequence[UnstableRow]) -> Table:
    return {
        "case": [row.case for row in rows],
        "position": [row.position for row in rows],
        "state": [row.state for row in rows],
        "first": [row.first for row in rows],
        "second": [row.second for row in rows],
        "claim": [row.claim for row in rows],
        "cause": [row.cause for row in rows],
    }
