"""Walks into danger: unsafe runs, how walks end, and who examines them."""
