"""Tests of objectives, certificates and what is done with bugs."""
