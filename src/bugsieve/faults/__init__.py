"""Which decision of the policy is to blame for a bug."""
