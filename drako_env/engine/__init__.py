"""What every game shares: compilation, random numbers, hex geometry, the `Game` protocol."""
