"""Checks certificates of flight rules with the standard library and `checkers` alone."""
