"""Rules that a domain violates."""
