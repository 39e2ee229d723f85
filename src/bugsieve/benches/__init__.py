"""The test bench: one task, one policy and one objective."""
