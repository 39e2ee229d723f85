"""Policies of transition systems: JANI models and non-deterministic planning tasks."""
