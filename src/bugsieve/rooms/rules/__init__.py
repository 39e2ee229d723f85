"""Flight rules: requirements in temporal logic that a planning domain or a policy must keep."""
