"""A model as constraints of CP-SAT: slots for tokens, rules, reservoirs, letters of a word."""
