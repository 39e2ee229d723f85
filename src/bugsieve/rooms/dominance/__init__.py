"""Dominance functions: how much easier one state is than another, proven without search.

Used by the oracles that compare what a policy does in different states.
"""
