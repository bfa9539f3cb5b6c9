"""Matches between agents, and what can be concluded from them."""
