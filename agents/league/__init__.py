"""Self-play: all sides' networks play each other and learn from it. A side alone learns against given opponents."""
