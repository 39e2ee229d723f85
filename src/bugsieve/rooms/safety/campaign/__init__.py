"""Safety testing as a kind of campaigns, and the shields made from its proofs."""
