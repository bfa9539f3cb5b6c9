"""How quickly learning algorithms come to play that cannot be exploited, on tables where that is known exactly."""
