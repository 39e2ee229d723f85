"""The ground floor: errors, seed streams, budgets, files. Imports nothing of Bugsieve."""
