"""Relational graph networks that value states: their files, their view of a task, the policy."""
