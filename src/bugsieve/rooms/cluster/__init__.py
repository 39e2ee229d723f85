"""Experiments on a Ray cluster: Ray places jobs on nodes, all else is ours.

A job travels with the files it needs, runs there in a process of our own, and what it
has made comes back whole. Ray is imported inside functions only.
"""
