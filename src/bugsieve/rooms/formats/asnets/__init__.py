"""ASNets: policies of a domain whose weights are shared by all of its tasks."""
