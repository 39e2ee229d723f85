"""N puzzle: a generator and a picture."""
