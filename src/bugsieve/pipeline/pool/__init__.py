"""Fuzzing: walks that fill a pool with test states."""
