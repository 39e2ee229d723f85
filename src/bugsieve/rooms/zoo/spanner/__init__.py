"""Spanner: the domain, a generator, a picture and a decider."""
