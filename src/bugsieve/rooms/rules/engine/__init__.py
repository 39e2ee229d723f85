"""Decides whether a task has a trace that satisfies a formula, and proves it either way."""
