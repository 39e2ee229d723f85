"""Satellite: the domain, a generator and a picture."""
