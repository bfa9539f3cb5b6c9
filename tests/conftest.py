"""No test depends on chance: everything random starts from the name of the test, or of the fixture, that uses it.

`--chance N` starts it elsewhere and `--random-order` mixes the tests: neither may change a result.
"""

import random
import sys

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("repeatable", derandomize=True, deadline=None, database=None)
settings.load_profile("repeatable")

CHANCE = random.Random()
"""Stands for the operating system, whose randomness NumPy and Gymnasium start from if nobody gives them a seed."""
np.random.bit_generator.randbits = CHANCE.getrandbits

INTEGRATION = ("web/test_browser", "examples/", "project/test_docs", "project/test_modes", "notebooks/", "evaluation/test_evaluation",
               "agents/test_league")
RAY = ("envs/test_rllib", "agents/test_cluster")


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
