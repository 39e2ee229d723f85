"""The one registry of everything that a spec or a command names."""
