"""Pictures of JANI models, one file per kind of model."""
