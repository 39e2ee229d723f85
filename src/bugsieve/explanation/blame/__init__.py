"""Which decision of the policy is to blame for a bug."""

EXPANSIONS = 10_000
"""What searches for the decision to blame may spend together, unless somebody says otherwise."""
