"""Bugs as regression tests: files for a project of its own, and asking a policy about them."""
