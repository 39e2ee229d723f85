"""Gripper: the domain, a generator and a picture."""
