"""Grids of campaigns, described by a file and kept in one folder."""
