"""What may be spent on one obligation, unless it is said."""

from __future__ import annotations

from bugsieve.tasks.search_limits import Limits

DEFAULT_LIMITS = Limits(expansions=1_000_000, bytes=1 << 30)
