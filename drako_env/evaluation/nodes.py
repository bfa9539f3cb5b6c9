"""Ray: a cluster to work on, of one machine or many."""

import logging
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

HELP = "address of a Ray cluster (auto: the one started on this machine); default: a new one on this machine alone"

KNOCK_SECONDS = 10
ROOT = Path(__file__).parents[2]
"""Where every node finds the project; players of one's own are found in the current folder."""


def connect(address: str | None, cpus: int) -> Any:
    """Join the cluster at `address`, or start one on this machine with so many CPUs; returns the module `ray`. Who is
    connected already stays so.

    `ValueError` says why it cannot be done."""
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "fatal")  # its workings are in Ray's own log files
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        import ray
    except ImportError:
        raise ValueError("Ray is not installed: pip install 'drako-env[rllib]'") from None
    if ray.is_initialized():
        return ray
    quiet: dict[str, Any] = {"logging_level": logging.ERROR, "log_to_driver": False}
    where: dict[str, Any] = {"address": address} if address else {"num_cpus": cpus, "include_dashboard": False}
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH"), str(Path.cwd())]))
    where = {"address": "local"} | where | {"runtime_env": {"env_vars": {"PYTHONPATH": paths}}}
    try:
        if address and ":" in address:
            _knock(address)
        with _without_chatter():
            ray.init(**where, **quiet)
    except (OSError, ValueError) as error:
        raise ValueError(f"no Ray cluster at {address or 'this machine'}: {error}") from None
    logging.getLogger("ray").setLevel(logging.ERROR)
    logging.getLogger("ray.rllib").setLevel(logging.ERROR)
    if (there := int(ray.cluster_resources().get("CPU", 0))) < cpus:  # type: ignore[no-untyped-call]
        ray.shutdown()
        raise ValueError(f"the cluster has {there} CPUs, but {cpus} are needed")
    return ray


def _knock(address: str) -> None:
    """Ray would try for minutes; whether somebody listens there is known at once."""
    host, _, port = address.rpartition(":")
    socket.create_connection((host.rpartition("/")[2], int(port)), KNOCK_SECONDS).close()


@contextmanager
def _without_chatter() -> Iterator[None]:
    """Nothing on the error stream, not even from compiled code; exceptions are raised as ever."""
    sys.stderr.flush()
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
