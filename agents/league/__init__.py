"""Self-play: learners that grow against each other, their past and fixed anchors."""
