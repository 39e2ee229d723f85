"""Commands of safety testing."""
