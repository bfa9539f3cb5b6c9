"""A hundred people at once: no errors, quick answers, and the memory comes back."""

import asyncio
import random
import re
import statistics
import threading
import time

import httpx2
import pytest
import uvicorn

from agents.registry import make_agent
from drako_env.games import GAMES
from drako_env.web.server import make_app

OPPONENTS = {name: ["heuristic"] for name in GAMES}
EXPIRY = 5.0
PAUSE = 0.5
"""Seconds between two clicks of a quick person."""


class Running(uvicorn.Server):
    """A server in a thread."""

    def __enter__(self):
        self.thread = threading.Thread(target=self.run)
        self.thread.start()
        while not self.started:
            time.sleep(0.01)
        return f"http://127.0.0.1:{self.servers[0].sockets[0].getsockname()[1]}"

    def __exit__(self, *_):
        self.should_exit = True
        self.thread.join()


async def visit(client, seed, end, timings):
    """One person: random legal decisions, one game after the other."""
    chance = random.Random(seed)
    await asyncio.sleep(chance.random() * PAUSE)
    answer = await client.post("/api/tables", json={"game": "drako", "players": ["person", "heuristic"]})
    shown = answer.json()
    path = f"/api/tables/{shown['table']}"
    while time.monotonic() < end:
        body = {"number": shown["number"]}
        what = "rematch" if shown["over"] else "play" if shown["yours"] else "advance"
        if what == "play":
            body["action"] = chance.choice(shown["actions"])["id"]
        answer = await client.post(f"{path}/{what}", json={} if what == "rematch" else body)
        assert answer.status_code == 200, answer.text
        total, agent = (float(part) for part in re.findall(r"dur=([\d.]+)", answer.headers["server-timing"]))
        timings.append(total - agent)
        shown = answer.json()
        await asyncio.sleep(PAUSE * chance.uniform(0.5, 1.5))


async def crowd(address, people, seconds):
    timings, end = [], time.monotonic() + seconds
    limits = httpx2.Limits(max_connections=people)
    async with httpx2.AsyncClient(base_url=address, timeout=60, limits=limits) as client:
        await asyncio.gather(*(visit(client, seed, end, timings) for seed in range(people)))
    return timings


def play(people, seconds):
    app = make_app(make_agent, OPPONENTS, "heuristic", most_tables=people, seconds=EXPIRY, timing=True)
    make_agent("heuristic", GAMES["drako"].make())
    with Running(uvicorn.Config(app, port=0, log_level="error")) as address:
        timings = asyncio.run(crowd(address, people, seconds))
        assert len(app.state.tables) == people
        time.sleep(EXPIRY + 0.2)
        app.state.tables.clear()
        assert len(app.state.tables) == 0
    return timings


def test_a_few_people_at_once():
    assert len(play(people=10, seconds=3)) > 20


@pytest.mark.slow
def test_a_hundred_people_for_a_minute():
    timings = play(people=100, seconds=60)
    median = statistics.median(timings)
    print(f"{len(timings):,} answers, median {median:.1f} ms above the agent's thinking, longest {max(timings):.0f} ms")
    assert median < 50
