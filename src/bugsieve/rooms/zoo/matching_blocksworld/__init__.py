"""Matching blocksworld: the domain, a generator and a decider."""
