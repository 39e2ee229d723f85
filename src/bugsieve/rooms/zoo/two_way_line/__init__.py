"""Two way line: a generator."""
