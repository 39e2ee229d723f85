"""The figures of papers/001 over safety campaigns, as tables and as pictures."""
