"""Pictures of planning tasks, one file per kind of domain."""
