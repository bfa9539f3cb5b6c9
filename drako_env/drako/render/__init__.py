"""What a seat may see, as data, in characters and as a picture."""
