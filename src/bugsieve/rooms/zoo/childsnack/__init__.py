"""Childsnack: the domain, a generator and a picture."""
