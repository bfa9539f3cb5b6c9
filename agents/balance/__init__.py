"""Rules tables under which strong play is even."""
