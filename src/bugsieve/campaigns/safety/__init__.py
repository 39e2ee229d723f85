"""Safety campaigns: unsafe runs of one policy on one model, and the faults in them."""
