"""Blocksworld: the domain, a generator and a picture."""
