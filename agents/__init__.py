"""What learns: self-play on one machine or on a cluster, and exploiters of what was learnt."""
