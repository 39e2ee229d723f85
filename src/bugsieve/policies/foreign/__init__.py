"""Policies of others: Python functions, programs and values, in worker processes."""
