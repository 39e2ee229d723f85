"""Training of action schema networks (ASNets) by imitation of a planner, the teacher."""
