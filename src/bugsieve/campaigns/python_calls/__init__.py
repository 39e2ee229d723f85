"""Bugs for scripts and notebooks: found in one call, or in a folder, and asked things."""
