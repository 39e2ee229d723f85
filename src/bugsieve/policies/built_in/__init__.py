"""Policies that come with Bugsieve and need nothing but the task."""
