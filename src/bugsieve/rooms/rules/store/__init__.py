"""The store of tests of rules: tasks, obligations, and what was answered to them."""
