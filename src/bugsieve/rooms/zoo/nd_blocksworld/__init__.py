"""Nd blocksworld: a generator and a picture."""
