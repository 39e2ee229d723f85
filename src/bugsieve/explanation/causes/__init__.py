"""The causes that bugs have in common, without the objects and places they happen to."""
