"""Tests of the policies, their adapters and runs."""
