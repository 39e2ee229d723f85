"""Tests, one folder per purpose; a package so that tests can import the reference twins."""
