"""How fast are the environments, against the best peers that are installed? One run, one core, interleaved, repeated.

make bench                                   # sets the peers up in .venv-bench and runs everything
python scripts/benchmark.py --rounds 3       # only what is installed here, quickly

Everybody plays random legal moves and looks at observation and mask before each ("in search": the moves inside the
simulations of an information-set search, ours with light play-outs, OpenSpiel's with random ones). A rate is decisions
(chance moves do not count) per second; the table shows the median of the rounds and their spread.
"""

import argparse
import json
import os
import platform
import random
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

os.environ.setdefault("XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1")

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parent.parent))

from drako_env import drako_v0, golden_dragon_v0
from drako_env.evaluation.match import game_seeds, play_game
from drako_env.games import make_game
from drako_env.players import make_player

Chunk = Callable[[], tuple[int, float]]
"""Some work: returns the decisions played and the seconds they took."""

BATCH_SIZES = (1, 64, 1024, 16384)
MAIN = "batch 1024: sample, step, observe"
SECOND = "golden_dragon batch 1024: sample, step, observe"
OUR_SEARCH = "in search: drako"


@dataclass
class Contender:
    """Something to measure; `prepare` compiles and warms up, and returns the work to repeat."""

    name: str
    group: str
    prepare: Callable[[], Chunk]


def timed(play: Callable[[], int]) -> Chunk:
    """Time the whole of `play`, which returns its decisions."""

    def chunk() -> tuple[int, float]:
        start = time.perf_counter()
        decisions = play()
        return decisions, time.perf_counter() - start

    return chunk


def pettingzoo_player(env: Any, decisions: int) -> Chunk:
    """Random play through `last` and `step`."""
    chance = random.Random(0)
    env.reset(seed=0)

    def play() -> int:
        done = 0
        while done < decisions:
            observation, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.reset()
                continue
            env.step(chance.choice(observation["action_mask"].nonzero()[0].tolist()))
            done += 1
        return done

    return timed(play)


def batch_step_only(size: int, steps: int) -> Chunk:
    """Rules and masks: neither sampling nor observations are timed."""
    batch = drako_v0.batch_env(size, seed=0, observe=False)
    actions = np.empty(size, np.int64)

    def chunk() -> tuple[int, float]:
        seconds = 0.0
        for _ in range(steps):
            batch.sample(actions)
            start = time.perf_counter()
            batch.step(actions)
            seconds += time.perf_counter() - start
        return size * steps, seconds

    return chunk


def batch_player(size: int, steps: int, observe: bool, module: Any = drako_v0) -> Chunk:
    """Sampling, rules, masks, and observations if asked for."""
    batch = module.batch_env(size, seed=0, observe=observe)
    actions = np.empty(size, np.int64)

    def play() -> int:
        for _ in range(steps):
            batch.step(batch.sample(actions))
        return size * steps

    return timed(play)


def copy_floor(size: int, steps: int) -> Chunk:
    """Only copy as many bytes as observations and masks have."""
    batch = drako_v0.batch_env(size, seed=0)
    source = np.zeros((size, batch.observation.shape[1] + batch.action_mask.shape[1]), np.int8)
    target = np.empty_like(source)

    def play() -> int:
        for _ in range(steps):
            np.copyto(target, source)
        return size * steps

    return timed(play)


def sb3_player(size: int, steps: int) -> Chunk:
    """The learner's decisions against a random opponent."""
    env = drako_v0.sb3_env(size, seed=0)
    env.reset()
    actions = np.empty(size, np.int64)

    def play() -> int:
        for _ in range(steps):
            env.step(env.games.batch.sample(actions))
        return size * steps

    return timed(play)


def openspiel_player(name: str, decisions: int) -> Chunk:
    """Random play with observation tensor and mask; chance moves are played but not counted."""
    import pyspiel

    game, chance = pyspiel.load_game(name), random.Random(0)

    def play() -> int:
        done, state = 0, game.new_initial_state()
        while done < decisions:
            if state.is_terminal():
                state = game.new_initial_state()
            elif state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(chance.choices(outcomes, weights)[0])
            else:
                state.observation_tensor()
                state.legal_actions_mask()
                state.apply_action(chance.choice(state.legal_actions()))
                done += 1
        return done

    return timed(play)


def pgx_player(name: str, size: int, steps: int, fused: bool) -> Chunk:
    """Random play with auto-reset, jitted: step by step as our batch does, or (`fused`) all steps in one program."""
    import jax
    import jax.numpy as jnp
    import pgx
    from pgx.experimental.wrappers import auto_reset

    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    def advance(carry: Any, _: Any) -> Any:
        state, key = carry
        key, sampling, dealing = jax.random.split(key, 3)
        logits = jnp.where(state.legal_action_mask, 0.0, -1e9)
        state = step(state, jax.random.categorical(sampling, logits), jax.random.split(dealing, size))
        return (state, key), state.observation.sum(dtype=jnp.float32) if fused else None

    count = steps if fused else 1
    run = jax.jit(lambda carry: jax.lax.scan(advance, carry, None, length=count) if fused else advance(carry, None))
    keys = jax.random.split(jax.random.PRNGKey(0), size)
    carry = (jax.jit(jax.vmap(env.init))(keys), jax.random.PRNGKey(1))

    def play() -> int:
        nonlocal carry
        for _ in range(steps // count):
            carry, _ = run(carry)
        jax.block_until_ready(carry)
        return size * steps

    play()
    return timed(play)


def our_search(simulations: int) -> Chunk:
    """Decisions inside the simulations of our search, in the course of a game against itself."""
    game = make_game("drako")
    agents = [make_player(f"ismcts:{simulations}", game) for _ in range(2)]
    seeds = iter(game_seeds(0, 1000))

    def chunk() -> tuple[int, float]:
        before, start = sum(int(agent.decisions[0]) for agent in agents), time.perf_counter()
        play_game(game, agents, next(seeds))
        return sum(int(agent.decisions[0]) for agent in agents) - before, time.perf_counter() - start

    return chunk


def openspiel_search(name: str, simulations: int) -> Chunk:
    """The same for OpenSpiel's C++ bot with random roll-outs, at the first decision of a game. It does not say how many
    decisions it played: they are simulations times the mean length of random play from there, counted beforehand."""
    import pyspiel

    chance, state = random.Random(0), pyspiel.load_game(name).new_initial_state()

    def advance(state: Any) -> bool:
        at_chance = state.is_chance_node()
        outcomes, weights = zip(*state.chance_outcomes(), strict=True) if at_chance else (state.legal_actions(), None)
        state.apply_action(chance.choices(outcomes, weights)[0])
        return not at_chance

    def random_length() -> int:
        copy, length = state.clone(), 0
        while not copy.is_terminal():
            length += advance(copy)
        return length

    while state.is_chance_node():
        advance(state)
    mean_length = statistics.mean(random_length() for _ in range(100))
    best = pyspiel.ISMCTSFinalPolicyType.MAX_VISIT_COUNT
    bot = pyspiel.ISMCTSBot(0, pyspiel.RandomRolloutEvaluator(1, 0), 0.7, simulations, -1, best, False, False)

    def play() -> int:
        bot.step(state)
        return int(simulations * mean_length)

    return timed(play)


def our_contenders() -> Iterator[Contender]:
    """Everything of this project."""
    yield Contender("raw_env", "drako", lambda: pettingzoo_player(drako_v0.raw_env(), 6000))
    yield Contender("env", "drako", lambda: pettingzoo_player(drako_v0.env(), 4000))
    for size in BATCH_SIZES:
        steps = max(4, min(20_000, 400_000 // size))
        yield Contender(f"batch {size}: step", "drako", lambda n=size, k=steps: batch_step_only(n, k))
        yield Contender(f"batch {size}: sample, step", "drako", lambda n=size, k=steps: batch_player(n, k, False))
        yield Contender(
            f"batch {size}: sample, step, observe", "drako", lambda n=size, k=steps: batch_player(n, k, True)
        )
    yield Contender(SECOND, "golden_dragon", lambda: batch_player(1024, 400, True, golden_dragon_v0))
    yield Contender(OUR_SEARCH, "drako", lambda: our_search(500))
    yield Contender("copy floor 1024", "drako", lambda: copy_floor(1024, 2000))
    if installed("stable-baselines3"):
        yield Contender("sb3_env 512", "drako", lambda: sb3_player(512, 150))


def peers() -> Iterator[Contender]:
    """Whatever else is installed."""
    if installed("pygame-ce"):
        from pettingzoo.classic import connect_four_v3, tictactoe_v3

        yield Contender("tictactoe_v3.raw_env", "PettingZoo", lambda: pettingzoo_player(tictactoe_v3.raw_env(), 3000))
        yield Contender("tictactoe_v3.env", "PettingZoo", lambda: pettingzoo_player(tictactoe_v3.env(), 2000))
        yield Contender("connect_four_v3.env", "PettingZoo", lambda: pettingzoo_player(connect_four_v3.env(), 1000))
    if installed("rlcard"):
        from pettingzoo.classic import texas_holdem_no_limit_v6 as holdem

        yield Contender("texas_holdem_no_limit_v6.env", "PettingZoo", lambda: pettingzoo_player(holdem.env(), 500))
    if installed("open_spiel"):
        for name, decisions in {
            "connect_four": 20_000,
            "leduc_poker": 20_000,
            "hanabi": 5000,
            "gin_rummy": 2000,
        }.items():
            yield Contender(name, "OpenSpiel", lambda n=name, k=decisions: openspiel_player(n, k))
        for name, simulations in {"gin_rummy": 200, "hearts": 3000}.items():
            yield Contender(f"in search: {name}", "OpenSpiel", lambda n=name, k=simulations: openspiel_search(n, k))
    if installed("pgx"):
        for name, steps in {"tic_tac_toe": 300, "connect_four": 200, "leduc_holdem": 200, "hex": 20}.items():
            yield Contender(f"{name} 1024", "pgx", lambda n=name, k=steps: pgx_player(n, 1024, k, False))
        yield Contender("tic_tac_toe 1024, fused", "pgx", lambda: pgx_player("tic_tac_toe", 1024, 300, True))


def installed(package: str) -> bool:
    """Whether a package is there."""
    try:
        return bool(version(package))
    except PackageNotFoundError:
        return False


def measure(contenders: list[Contender], rounds: int) -> dict[str, list[float]]:
    """Rates of every contender, round by round: a slow moment of the machine hits all alike."""
    chunks = {c.name: c.prepare() for c in track(contenders, "Preparing", transient=True)}
    for chunk in chunks.values():
        chunk()
    rates: dict[str, list[float]] = {name: [] for name in chunks}
    for _ in track(range(rounds), "Measuring", transient=True):
        for name, chunk in chunks.items():
            decisions, seconds = chunk()
            rates[name].append(decisions / seconds)
    return rates


def ratio(rates: dict[str, list[float]], name: str, other: str) -> float:
    """The median of the rounds' ratios."""
    return statistics.median(a / b for a, b in zip(rates[name], rates[other], strict=True))


def print_table(console: Console, contenders: list[Contender], rates: dict[str, list[float]]) -> None:
    """All rates, and how they compare with the main one."""
    table = Table(title="Decisions per second, one core")
    for column, justify in (
        ("", "left"),
        ("what", "left"),
        ("median", "right"),
        ("min-max", "right"),
        ("ratio", "right"),
    ):
        table.add_column(column, justify=justify)  # type: ignore[arg-type]
    for contender in contenders:
        found = sorted(rates[contender.name])
        spread = f"{found[0]:,.0f}-{found[-1]:,.0f}"
        against = f"{ratio(rates, MAIN, contender.name):.2f}x"
        bold = "bold" if contender.name == MAIN else ""
        row = (contender.group, contender.name, f"{statistics.median(found):,.0f}", spread, against)
        table.add_row(*row, style=bold)
    console.print(table)
    console.print(f"ratio: how many times as fast '{MAIN}' is in the same round (median)")


def print_breakdown(console: Console, rates: dict[str, list[float]]) -> None:
    """Where a decision's time goes at batch 1024."""
    cost = {name: 1e9 / statistics.median(values) for name, values in rates.items()}
    step, sampled, full = cost["batch 1024: step"], cost["batch 1024: sample, step"], cost[MAIN]
    floor, growth = (
        cost["copy floor 1024"],
        ratio(rates, "batch 64: sample, step, observe", "batch 16384: sample, step, observe"),
    )
    console.print(
        f"a decision at batch 1024 takes {full:.0f} ns: rules and mask {step:.0f}, sampling {sampled - step:.0f}, "
        f"observation {full - sampled:.0f}; copying its bytes alone takes {floor:.0f} ({full / floor:.1f}x the floor)"
    )
    console.print(f"cost per decision, batch 16384 against batch 64: {growth:.2f}x")


def print_second(console: Console, rates: dict[str, list[float]]) -> None:
    """The second game against the lightest peer."""
    if SECOND in rates and "tic_tac_toe 1024" in rates:
        console.print(f"golden_dragon (2 players): {ratio(rates, SECOND, 'tic_tac_toe 1024'):.2f}x pgx tic_tac_toe")


def print_search(console: Console, rates: dict[str, list[float]]) -> None:
    """Our search against the others'."""
    for name in rates:
        if name.startswith("in search") and name != OUR_SEARCH and OUR_SEARCH in rates:
            console.print(f"decisions inside a search: {ratio(rates, OUR_SEARCH, name):.1f}x '{name}' (OpenSpiel)")


def draw(contenders: list[Contender], rates: dict[str, list[float]], path: Path) -> None:
    """A bar chart of the medians: everything that gives observation and mask at every decision."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    shown = sorted(contenders, key=lambda c: statistics.median(rates[c.name]))
    shown = [c for c in shown if "floor" not in c.name and "search" not in c.name and not c.name.endswith("step")]
    colours = {
        "drako": "#b5432a",
        "golden_dragon": "#c9a227",
        "pgx": "#3b6ea5",
        "OpenSpiel": "#5b8c5a",
        "PettingZoo": "#8a7fa3",
    }
    figure, axes = plt.subplots(figsize=(9, 0.32 * len(shown) + 1.2))
    medians = [statistics.median(rates[c.name]) for c in shown]
    axes.barh([f"{c.group}  {c.name}" for c in shown], medians, color=[colours[c.group] for c in shown])
    for place, rate in enumerate(medians):
        label = f"{rate / 1e6:.2f} M" if rate >= 1e6 else f"{rate / 1e3:.0f} k"
        axes.text(rate * 1.08, place, label, va="center", fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(right=max(medians) * 3)
    axes.set_xlabel("decisions per second on one core (log scale)")
    axes.set_title("Random legal play with observation and mask", loc="left", fontsize=11)
    axes.margins(y=0.01)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="y", labelsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=130)


def write_json(contenders: list[Contender], rates: dict[str, list[float]], path: Path) -> None:
    """The rates with all that is needed to read them."""
    packages = ("numpy", "numba", "pettingzoo", "open_spiel", "pgx", "jax", "stable-baselines3")
    report = {
        "machine": {"python": platform.python_version(), "processor": platform.processor() or platform.machine()},
        "versions": {name: version(name) for name in packages if installed(name)},
        "rates": [{"group": c.group, "name": c.name, "decisions_per_second": rates[c.name]} for c in contenders],
    }
    path.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", default="", help="only contenders whose name or group contains this")
    parser.add_argument("--out", type=Path, default=Path("runs/benchmark"), help="folder for the JSON and the chart")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

    console = Console(width=120)
    every = [*our_contenders(), *peers()]
    chosen = [c for c in every if options.only in f"{c.group} {c.name}" or c.name == MAIN]
    rates = measure(chosen, options.rounds)
    print_table(console, chosen, rates)
    if not options.only:
        print_breakdown(console, rates)
    print_second(console, rates)
    print_search(console, rates)
    options.out.mkdir(parents=True, exist_ok=True)
    write_json(chosen, rates, options.out / "benchmark.json")
    console.print(f"written: {options.out / 'benchmark.json'}")
    if installed("matplotlib"):
        draw(chosen, rates, options.out / "benchmark.png")
        console.print(f"drawn:   {options.out / 'benchmark.png'}")


if __name__ == "__main__":
    main()
