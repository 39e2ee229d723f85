"""Tests of planning domains beyond the rules: lint, coverage, mutants and suites of tests."""
