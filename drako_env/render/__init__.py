"""Pictures made visible: pixels and a window. What is drawn comes from the games."""
