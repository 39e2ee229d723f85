"""Checks for authors of members: do an oracle, a bias, a policy, a picture keep their contracts?

Each raises AssertionError with a sentence, and needs no test framework. A member is named by its
spec, so it must be registered; ours are checked the same way, by being listed.
"""

from __future__ import annotations

from bugsieve.testing.biases import check_bias
from bugsieve.testing.oracles import check_oracle
from bugsieve.testing.pictures import check_picture
from bugsieve.testing.policies import check_policy

__all__ = ["check_bias", "check_oracle", "check_picture", "check_policy"]
