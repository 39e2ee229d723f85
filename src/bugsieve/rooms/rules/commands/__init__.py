"""Commands that test domains against flight rules."""
