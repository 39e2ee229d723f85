"""The obligations of tests of a rule, and the judges of which of them a task can meet."""
