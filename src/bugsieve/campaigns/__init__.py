"""Campaigns: fuzzing and judging under budgets, on one core or several."""
