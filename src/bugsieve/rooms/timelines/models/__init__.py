"""From statements of NDDL to a model: declarations, objects, terms, bodies, in this order."""
