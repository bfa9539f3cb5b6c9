"""What learns: the league. It is in a clone, beside the package."""
