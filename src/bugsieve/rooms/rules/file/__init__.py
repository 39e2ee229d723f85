"""Rules files: flight rules over named conditions, and what they mean in one planning task."""
