"""Adapters between the games and the libraries, each written once for every game."""
