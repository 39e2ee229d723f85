"""JANI models: a reader that names file and place of every mistake, and models in batches."""
