"""Bugs of cost testing."""
