"""Bugs of safety testing."""
