"""Reports of tests of rules."""
