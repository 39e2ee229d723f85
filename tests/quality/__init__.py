"""How many planted faults the default settings find."""
