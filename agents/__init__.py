"""What learns: the league, its learners, the cluster they work on."""
