"""Slow, obviously correct Python twins of the engine; they share no code with it."""
