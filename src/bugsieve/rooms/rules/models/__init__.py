"""Safety rules of models: a model together with automata that watch over its rules."""
