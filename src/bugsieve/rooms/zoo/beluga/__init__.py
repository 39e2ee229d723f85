"""Beluga: a generator."""
