"""Hints from dominance functions for the search of the decision to blame."""
