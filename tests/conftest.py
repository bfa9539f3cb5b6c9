"""No test depends on chance: everything random starts from the name of the test, or of the fixture, that uses it.

`--chance N` starts it elsewhere and `--random-order` mixes the tests: neither may change a result.
"""

import random
import secrets
import signal
import sys

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

CHANCE = random.Random()
"""Stands for the operating system, whose randomness NumPy, Gymnasium and the page's deals start from without a seed."""
np.random.bit_generator.randbits = secrets.randbits = CHANCE.getrandbits

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what runs in its background without Ctrl-C

INTEGRATION = (
    "agents/test_cluster",
    "envs/test_rllib",
    "clients/",
    "agents/test_league",
    "evaluation/test_evaluation",
    "notebooks/",
    "project/test_modes",
    "web/test_browser",
    "examples/",
    "web/test_load",
    "project/test_docs",
    "project/test_pages",
    "project/test_extras",
)
"""Whole programs and other people's, longest first: they come after the rules and what is built on them."""
RAY = ("agents/test_cluster", "envs/test_rllib", "clients/test_rllib")


def pytest_addoption(parser):
    parser.addoption("--chance", default="0", help="another start for what tests leave to chance")


def start_from(config, name):
    """Python's, NumPy's and torch's global generators, and `CHANCE`."""
    CHANCE.seed(f"{config.getoption('--chance')} {name}")
    random.seed(CHANCE.getrandbits(64))
    np.random.seed(CHANCE.getrandbits(32))
    if torch := sys.modules.get("torch"):
        torch.manual_seed(CHANCE.getrandbits(63))


@pytest.hookimpl(tryfirst=True)
def pytest_fixture_setup(fixturedef, request):
    start_from(request.config, f"{request.node.nodeid} {fixturedef.argname}")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item):
    start_from(item.config, item.nodeid)


def pytest_collection_modifyitems(items):
    """Integration last. With several processes (`-n`) a file stays in one of them, for its fixtures; so does Ray."""
    items.sort(key=lambda item: next((i for i, name in enumerate(INTEGRATION, 1) if name in item.nodeid), 0))
    for item in items:
        group = "ray" if any(name in item.nodeid for name in RAY) else item.nodeid.partition("::")[0]
        item.add_marker(pytest.mark.xdist_group(group))
