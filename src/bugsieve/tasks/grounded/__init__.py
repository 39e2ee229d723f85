"""Grounded tasks in finite-domain representation (FDR), from PDDL or SAS files."""
