"""The campaign folder: store, export and comparison."""
