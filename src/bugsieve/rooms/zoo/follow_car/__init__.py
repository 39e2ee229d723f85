"""Follow car: a generator and a picture."""
