"""What safety oracles may spend on a state, unless they are told."""

from __future__ import annotations

from bugsieve.tasks.search_limits import Limits

DEFAULT_LIMITS = Limits(expansions=1_000_000, bytes=1 << 30)
"""Per state. Expansions, not seconds: verdicts must not depend on the load of the machine."""
