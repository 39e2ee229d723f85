"""Generalised policies in plain Python, to run and to learn from: `python:` specs name them."""
