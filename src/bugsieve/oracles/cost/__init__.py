"""Oracles for cost testing; one file each."""
