"""Recorders hand their frames to MoviePy, which wants an older Pillow than we have: this stands in for it."""

import sys
import types

import pytest


@pytest.fixture
def films(monkeypatch):
    """The films that were recorded, as `(frames, frames a second)`."""
    found = []

    class ImageSequenceClip:
        def __init__(self, frames, fps):
            found.append((frames, fps))

        def write_videofile(self, path, logger=None):
            pass

        def close(self):
            pass

    names = ["moviepy", "moviepy.video", "moviepy.video.io", "moviepy.video.io.ImageSequenceClip"]
    for name in names:
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    sys.modules[names[-1]].ImageSequenceClip = ImageSequenceClip
    return found
