"""Players, by short names: see `registry`."""
