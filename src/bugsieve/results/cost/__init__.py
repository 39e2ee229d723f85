"""The records of cost testing."""
