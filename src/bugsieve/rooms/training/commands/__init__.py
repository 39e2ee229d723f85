"""Commands that train policies and select models."""
