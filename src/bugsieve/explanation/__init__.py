"""Explains bugs: the decision to blame, causes in words, smallest examples."""
