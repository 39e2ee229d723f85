"""Runs of policies within flight rules: what rules say of them, and tasks that keep to rules."""
