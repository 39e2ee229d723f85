"""Campaigns of several tasks taken together, in figures and words."""
