"""Tests of examples made of bugs."""
