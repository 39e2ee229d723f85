"""Hypothesis profiles: the same examples in every run, or new ones to explore.

`BUGSIEVE_HYPOTHESIS=explore pytest tests/property` draws other examples each time, `=shrink`
draws all tasks number by number, so that a failing one shrinks to a minimal one.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile(
    "fixed",
    derandomize=True,
    database=None,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("explore", settings.get_profile("fixed"), derandomize=False)
settings.register_profile("shrink", settings.get_profile("explore"))
settings.load_profile(os.environ.get("BUGSIEVE_HYPOTHESIS", "fixed"))
