"""JANI models, PDDL with `oneof` as such models, and policies for them."""
