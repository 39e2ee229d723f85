"""A light PDDL front end: finds mistakes and unsupported features, and names file and line."""
