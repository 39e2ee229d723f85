"""Programs that measure the engine beside its peers; they run from the repository root."""
