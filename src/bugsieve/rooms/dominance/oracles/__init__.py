"""Oracles that compare states by dominance functions."""
