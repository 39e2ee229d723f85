"""Random tasks on which the engine must agree with the twins of `tests.reference`."""
