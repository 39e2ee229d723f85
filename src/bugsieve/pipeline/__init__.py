"""The way from a policy to proven bugs: bench, pool, biases, objectives, oracles, judging."""
