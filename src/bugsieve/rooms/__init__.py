"""Rooms: each holds all of one subject beside cost testing."""
