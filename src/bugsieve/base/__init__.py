"""Parts that every layer may use: errors, names, seeds, stopping, words, limits and threads."""
