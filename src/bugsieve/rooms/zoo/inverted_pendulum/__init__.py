"""Inverted pendulum: a generator and a picture."""
