"""Ferry: the domain, a generator and a picture."""
