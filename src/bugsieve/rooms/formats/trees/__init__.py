"""Tree ensembles: readers of their files, and their evaluation over batches."""
