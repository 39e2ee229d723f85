"""Plans on timelines, and their pictures."""
