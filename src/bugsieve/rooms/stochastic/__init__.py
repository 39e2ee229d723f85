"""Stochastic policies: how likely they are to reach the goal, and runs that show why."""
