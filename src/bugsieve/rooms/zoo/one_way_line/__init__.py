"""One way line: a generator and a picture."""
