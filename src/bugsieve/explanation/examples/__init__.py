"""Examples made of bugs: the smallest one that shows a cause, and states to learn from."""
