"""Training with policy testing as a kind of campaigns (papers/003)."""
