"""Timeline models in NDDL: read, searched for plans by CP-SAT, tested against flight rules."""
