"""Dragon board games with hidden information as reinforcement-learning environments."""

__version__ = "0.1.0"
