"""Non-deterministic planning tasks: PDDL with `oneof` becomes a JANI model."""
