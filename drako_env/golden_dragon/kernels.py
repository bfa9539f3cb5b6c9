"""The compiled entry points: what Python calls. Each takes the tables and an array of states."""

from typing import Any

from drako_env.engine.game import ILLEGAL
from drako_env.engine.jit import jit, kernel
from drako_env.engine.rng import Stream, random_below
from drako_env.engine.sampling import count_legal, nth_legal, random_legal
from drako_env.engine.tree import NONE, best_child, count_result, may_widen, write_node
from drako_env.golden_dragon.apply import apply
from drako_env.golden_dragon.deal import deal, hide, redeal
from drako_env.golden_dragon.heuristic import plan, score
from drako_env.golden_dragon.legal import write_mask
from drako_env.golden_dragon.observe import observe
from drako_env.golden_dragon.state import NOBODY, Phase


@kernel
def deal_one(tables: Any, states: Any, i: int, mask: Any) -> int:
    """Begin game `i` anew and write the legal actions; returns the seat to decide."""
    t, s = tables[0], states[i]
    deal(t, s)
    write_mask(t, s, mask)
    return s["agent"]


@kernel
def play_one(tables: Any, states: Any, i: int, action: int, mask: Any) -> int:
    """Play `action` in game `i`; returns the seat to decide next (-1: over), or ILLEGAL and changes nothing.

    `mask` holds the legal actions before and after."""
    t, s = tables[0], states[i]
    if action < 0 or action >= len(mask) or not mask[action]:
        return ILLEGAL
    apply(t, s, action)
    write_mask(t, s, mask)
    return s["agent"]


@kernel
def mask_one(tables: Any, states: Any, i: int, mask: Any) -> None:
    """The legal actions of the seat to decide in game `i`."""
    write_mask(tables[0], states[i], mask)


@kernel
def observe_one(tables: Any, states: Any, i: int, seat: int, observation: Any) -> None:
    """What `seat` sees of game `i`."""
    observe(tables[0], states[i], seat, observation)


@kernel
def redeal_one(tables: Any, states: Any, i: int, seat: int) -> None:
    """Replace what `seat` may not know of game `i` by another order that looks the same to it."""
    redeal(tables[0], states[i], seat)


@kernel
def hide_one(tables: Any, states: Any, i: int, seat: int) -> None:
    """Reduce game `i` to what `seat` knows of it."""
    hide(tables[0], states[i], seat)


@kernel
def reward_one(states: Any, i: int, reward: Any) -> None:
    """Every seat's reward in game `i`."""
    write_reward(states[i], reward)


@kernel
def deal_games(tables: Any, states: Any, observation: Any, mask: Any, agent: Any) -> None:
    """Deal every game anew."""
    t = tables[0]
    for i in range(len(states)):
        s = states[i]
        deal(t, s)
        show(t, s, observation[i], mask[i])
        agent[i] = s["agent"]


@kernel
def view_games(tables: Any, states: Any, observation: Any, mask: Any, agent: Any) -> None:
    """Write what the seat to decide sees, and its legal actions, in every game."""
    t = tables[0]
    for i in range(len(states)):
        s = states[i]
        show(t, s, observation[i], mask[i])
        agent[i] = s["agent"]


@kernel
def step_games(
    tables: Any,
    states: Any,
    games: Any,
    actions: Any,
    observation: Any,
    mask: Any,
    agent: Any,
    reward: Any,
    done: Any,
    ended: Any,
) -> int:
    """Play one action in each of `games`; a finished game is dealt anew. Returns the first game whose action is
    illegal, having changed nothing, or -1. `ended`, unless empty, receives the last position of a finished game."""
    for k in range(len(games)):
        if actions[k] < 0 or actions[k] >= mask.shape[1] or not mask[games[k], actions[k]]:
            return games[k]
    t = tables[0]
    for k in range(len(games)):
        i = games[k]
        s = states[i]
        apply(t, s, actions[k])
        over = s["phase"] == Phase.OVER
        done[i] = over
        write_reward(s, reward[i])
        if over:
            if len(ended):
                ended[i] = s
            deal(t, s)
        show(t, s, observation[i], mask[i])
        agent[i] = s["agent"]
    return -1


@kernel
def sample_games(states: Any, games: Any, mask_words: Any, actions: Any) -> None:
    """A uniformly random legal action in each of `games`; `mask_words` are the masks, eight actions a word."""
    for k in range(len(games)):
        actions[k] = random_legal(states[games[k]], mask_words[games[k]])


@jit
def write_reward(s: Any, reward: Any) -> None:
    """+1 to the winner and -1 to all others; 0 while the game goes on, and for a draw (G7)."""
    winner = s["winner"]
    for seat in range(len(reward)):
        reward[seat] = 0 if winner == NOBODY else 1 if winner == seat else -1


@jit
def show(t: Any, s: Any, observation: Any, mask: Any) -> None:
    """What the seat to decide sees, and its legal actions."""
    write_mask(t, s, mask)
    if len(observation):
        observe(t, s, s["agent"], observation)


@kernel
def best_one(tables: Any, states: Any, i: int, mask: Any) -> int:
    """The legal action of game `i` that the best plan begins with; random among equals."""
    return best_scored(tables[0], states[i], mask, True)


@kernel
def best_games(tables: Any, states: Any, games: Any, mask: Any, actions: Any) -> None:
    """The same for each of `games`."""
    for k in range(len(games)):
        actions[k] = best_scored(tables[0], states[games[k]], mask[games[k]], True)


@kernel
def search_one(
    tables: Any,
    hidden: Any,
    scratch: Any,
    mask_words: Any,
    mask: Any,
    tree: Any,
    nodes: int,
    root: int,
    simulations: int,
    exploration: float,
    decisions: Any,
) -> int:
    """Simulations of an information-set search from `hidden[0]`, what a seat knows; returns the size of the tree.

    `mask` and `mask_words` are one piece of memory. The random numbers go on in `hidden[0]`, and `decisions[0]` gains
    those played."""
    t, s, seat = tables[0], scratch[0], hidden[0]["agent"]
    for _ in range(simulations):
        scratch[0] = hidden[0]
        redeal(t, s, seat)
        node = root
        growing = True
        while growing and s["phase"] != Phase.OVER:
            write_mask(t, s, mask)
            child, tried = best_child(tree, node, mask, exploration)
            untried = best_scored(t, s, mask, False) if may_widen(tree, node, tried) else NONE
            if untried != NONE and nodes < len(tree):
                write_node(tree, nodes, node, untried, s["agent"])
                child = nodes
                nodes += 1
                growing = False
            elif child == NONE:
                break
            node = child
            apply(t, s, tree[node]["action"])
            decisions[0] += 1
        decisions[0] += play_out(t, s, mask_words, mask)
        count_result(tree, node, root, s["winner"])
        hidden[0]["rng"][:] = s["rng"]
    return nodes


@jit
def play_out(t: Any, s: Any, mask_words: Any, mask: Any) -> int:
    """Play to the end, each time with the better of two random actions; returns the number of decisions."""
    decisions = 0
    while s["phase"] != Phase.OVER:
        write_mask(t, s, mask)
        legal = count_legal(mask_words)
        action = nth_legal(mask_words, random_below(s, Stream.SAMPLE, legal))
        if legal > 1:
            other = nth_legal(mask_words, random_below(s, Stream.SAMPLE, legal))
            if other != action and score(t, s, other) > score(t, s, action):
                action = other
        apply(t, s, action)
        decisions += 1
    return decisions


@jit
def best_scored(t: Any, s: Any, mask: Any, planning: bool) -> int:
    """The action of a mask with the highest score, at first glance or planning the turn, random among equals; NONE if
    the mask is empty."""
    best, best_score, equals = NONE, 0.0, 0
    for action in range(t["num_actions"]):
        if mask[action]:
            value = plan(t, s, action) if planning else score(t, s, action)
            if best == NONE or value > best_score:
                best, best_score, equals = action, value, 1
            elif value == best_score:
                equals += 1
                if random_below(s, Stream.SAMPLE, equals) == 0:
                    best = action
    return best
