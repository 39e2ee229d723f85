"""Decides whether states are safe, and which decisions of a policy leave the safe region."""
