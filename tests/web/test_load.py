"""Many people at once: no errors, quick answers, and the memory comes back."""

import asyncio
import gc
import random
import re
import statistics
import time
import weakref

import httpx2
import pytest

from drako_env.web.limits import Limits
from tests.web.running import HANGS, Running, app_of

EXPIRY = 3600.0
PAUSE = 0.5
"""Seconds between two clicks of a quick person."""


async def visit(client, seed, pause, end):
    """One person: random legal decisions, one game after the other. Returns the answers' times without the agents'."""
    chance, times = random.Random(seed), []
    await asyncio.sleep(chance.random() * pause)
    answer = await client.post("/api/sessions", json={"game": "drako", "players": ["person", "heuristic"]})
    shown = answer.json()
    path = f"/api/sessions/{shown['session']}"
    while not end(len(times)):
        what = "rematch" if shown["over"] else "play" if shown["yours"] else "advance"
        body = {} if what == "rematch" else {"number": shown["number"]}
        if what == "play":
            body["action"] = chance.choice(shown["actions"])["id"]
        answer = await client.post(f"{path}/{what}", json=body)
        assert answer.status_code == 200, answer.text
        total, agent = (float(part) for part in re.findall(r"dur=([\d.]+)", answer.headers["server-timing"]))
        times.append(total - agent)
        assert answer.json()["number"] == (0 if what == "rematch" else shown["number"] + 1)
        shown = answer.json()
        await asyncio.sleep(pause * chance.uniform(0.5, 1.5))
    return times


async def crowd(address, people, pause, end):
    limits = httpx2.Limits(max_connections=people)
    async with httpx2.AsyncClient(base_url=address, timeout=HANGS, limits=limits) as client:
        return await asyncio.gather(*(visit(client, seed, pause, end) for seed in range(people)))


def play(people, pause, end):
    app = app_of(most_sessions=people, seconds=EXPIRY, timing=True, limits=Limits(sessions=people))
    sessions = app.state.sessions
    with Running(app) as running:
        times = asyncio.run(crowd(running.url, people, pause, end))
        assert running.problems == []
    left = [weakref.ref(taken.session) for taken in sessions._sessions.values()]
    assert len(left) == people
    sessions.clock = lambda: time.monotonic() + EXPIRY
    sessions.clear()
    gc.collect()
    assert [one for one in left if one() is not None] == []
    return [one for person in times for one in person]


def test_a_few_people_at_once():
    assert len(play(people=10, pause=0, end=lambda answers: answers == 15)) == 150


@pytest.mark.slow
def test_a_hundred_people_for_a_minute():
    end = time.monotonic() + 60
    times = play(people=100, pause=PAUSE, end=lambda answers: time.monotonic() > end)
    median = statistics.median(times)
    print(f"{len(times):,} answers, median {median:.1f} ms above the agent's thinking, longest {max(times):.0f} ms")
    assert median < 50
