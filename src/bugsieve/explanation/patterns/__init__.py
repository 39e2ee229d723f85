"""Patterns of a policy's wrong decisions: what several blamed ones have in common."""
