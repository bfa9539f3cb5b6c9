"""What recorders have written, as pictures again."""

import imageio_ffmpeg
import numpy as np
import pytest

PIPES = "ignore::pytest.PytestUnraisableExceptionWarning"
"""MoviePy and imageio leave the pipes to ffmpeg open."""


@pytest.fixture
def film():
    """Reads the one film of a folder: its pictures, and how many a second it shows."""

    def read(folder):
        (path,) = folder.glob("*.mp4")
        frames = imageio_ffmpeg.read_frames(str(path))
        about = next(frames)
        width, height = about["size"]
        return [np.frombuffer(frame, np.uint8).reshape(height, width, 3) for frame in frames], about["fps"]

    return read
