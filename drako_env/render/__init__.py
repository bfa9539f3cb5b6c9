"""Pictures made visible: pixels and a window. What is drawn comes from the games."""

OPEN = -1
"""Stands for the seat in pictures with every hand open: for games that are over, and for tools."""
