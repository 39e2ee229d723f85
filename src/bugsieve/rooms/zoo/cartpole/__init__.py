"""Cartpole: a generator."""
