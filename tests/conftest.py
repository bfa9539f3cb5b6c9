"""No test depends on chance: everything random starts from the test's own name.

`--chance N` starts it elsewhere and `--random-order` mixes the tests: both must change nothing.
"""

import random
import sys

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")


def pytest_addoption(parser):
    parser.addoption("--chance", default="0", help="another start for what tests leave to chance")


@pytest.fixture(autouse=True)
def fixed_chance(request, monkeypatch):
    """Python's, NumPy's and torch's global generators, and what NumPy and Gymnasium take from the operating system."""
    start = random.Random(f"{request.config.getoption('--chance')} {request.node.nodeid}")
    random.seed(start.getrandbits(64))
    np.random.seed(start.getrandbits(32))
    if torch := sys.modules.get("torch"):
        torch.manual_seed(start.getrandbits(63))
    monkeypatch.setattr("numpy.random.bit_generator.randbits", start.getrandbits)
