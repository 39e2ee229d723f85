"""Tests of a planning domain against flight rules as a kind of campaigns (papers/004)."""
