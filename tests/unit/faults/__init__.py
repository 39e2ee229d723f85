"""Tests of what says which decision is to blame."""
