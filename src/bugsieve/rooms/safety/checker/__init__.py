"""Checks certificates of safety with the standard library and `checkers` alone."""
