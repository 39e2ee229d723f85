"""Pictures of models: scenes of their runs, and the base class of pictures for them."""
