"""Linear temporal logic on finite traces: formulas, views, causes and automata."""
