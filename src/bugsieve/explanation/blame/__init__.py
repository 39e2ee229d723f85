"""Finds the decision of the policy that is to blame for a bug."""

EXPANSIONS = 10_000
"""The budget of searches for the decision to blame together, unless another one is given."""
