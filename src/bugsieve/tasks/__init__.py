"""Planning tasks: PDDL and SAS files become grounded tasks whose states are arrays."""
