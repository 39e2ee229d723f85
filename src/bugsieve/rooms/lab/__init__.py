"""Experiments over many campaigns, with their tables and plots."""
