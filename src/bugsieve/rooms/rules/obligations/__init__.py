"""What a rule obliges a test suite to show, and who finds out whether the task can show it."""
