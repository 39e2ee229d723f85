"""The store of a training: its tasks, its models with their tests, and what they learnt from."""
