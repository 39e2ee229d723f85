"""Bouncing ball: a generator and a picture."""
