"""Checks plans of timeline models with the standard library and a reader of NDDL."""
