"""Checks certificates with the standard library alone; imports nothing else of ours."""
