"""NDDL files as syntax trees."""
