"""What bugs have in common: their causes, without the objects and places they happen to."""
