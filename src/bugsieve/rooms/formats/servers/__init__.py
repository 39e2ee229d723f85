"""Policy servers of the published C++ tools ("pheromone"): asking them, and being one."""
