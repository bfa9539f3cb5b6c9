"""The loops around a game's rules: what Python calls, written once for all games.

On top stand the rules themselves, without content: `engine.kernels` puts a game's own functions in their place and
compiles every loop for it. `t` is the record of the game's tables, `s` the record of one position; `tables` is an array
of one, `states` one of many, and `i` the game meant.
"""

from typing import Any

from drako_env.engine.network import draw, evaluate, to_probabilities, value_of
from drako_env.engine.rng import Stream, random_below, random_share
from drako_env.engine.rollout import note_decision, note_rewards
from drako_env.engine.sampling import count_legal, first_above, nth_legal, random_legal
from drako_env.engine.tree import (
    NONE,
    add_children,
    best_child,
    count_result,
    known_children,
    likely_child,
    may_widen,
    write_node,
)

ILLEGAL = -2
OVER = -1
"""In the place of the seat to decide."""
RANDOM, HEURISTIC = -1, -2
"""In the place of a network."""


# --------------------------------------------------------------------------------------------- what a game has to offer


def deal(t: Any, s: Any) -> None:
    """Deal a new game, from the random numbers of the record."""
    raise NotImplementedError


def apply(t: Any, s: Any, action: int) -> None:
    """Play a legal action of the seat to decide."""
    raise NotImplementedError


def write_mask(t: Any, s: Any, mask: Any) -> None:
    """The legal actions of the seat to decide: 1, all others 0; none when the game is over."""
    raise NotImplementedError


def observe(t: Any, s: Any, seat: int, observation: Any) -> None:
    """What a seat sees."""
    raise NotImplementedError


def hide(t: Any, s: Any, seat: int) -> None:
    """Reduce the position to what a seat knows: positions that look the same to it become the same bytes."""
    raise NotImplementedError


def redeal(t: Any, s: Any, seat: int) -> None:
    """Replace what a seat may not know by another deal that looks the same to it, each as likely as it is."""
    raise NotImplementedError


# ------------------------------------------------------------------------------------------------ and what it may offer


def score(t: Any, s: Any, action: int) -> float:
    """A rule of thumb: how good an action looks at first glance, for heuristic play, play-outs and what a search tries
    first."""
    return 0.0


def plan(t: Any, s: Any, action: int) -> float:
    """The same having looked ahead, for heuristic play."""
    return score(t, s, action)


def write_reward(s: Any, reward: Any) -> None:
    """+1 to the winner and -1 to all others; 0 while the game goes on, and for a draw."""
    winner = s["winner"]
    for seat in range(len(reward)):
        reward[seat] = 0 if winner == NONE else 1 if winner == seat else -1


# ---------------------------------------------------------------------------------------------- kernels and their parts


def deal_one(tables: Any, states: Any, i: int, mask: Any) -> int:
    """Deal game `i` anew from its own random numbers and write the legal actions; returns the seat to decide."""
    t, s = tables[0], states[i]
    deal(t, s)
    write_mask(t, s, mask)
    return s["agent"]


def play_one(tables: Any, states: Any, i: int, action: int, mask: Any) -> int:
    """Play `action` in game `i`; returns the seat to decide next, OVER, or ILLEGAL having changed nothing.

    `mask` holds the legal actions before and after."""
    t, s = tables[0], states[i]
    if action < 0 or action >= len(mask) or not mask[action]:
        return ILLEGAL
    apply(t, s, action)
    write_mask(t, s, mask)
    return s["agent"]


def mask_one(tables: Any, states: Any, i: int, mask: Any) -> None:
    """The legal actions of the seat to decide in game `i`."""
    write_mask(tables[0], states[i], mask)


def observe_one(tables: Any, states: Any, i: int, seat: int, observation: Any) -> None:
    """What `seat` sees of game `i`."""
    observe(tables[0], states[i], seat, observation)


def redeal_one(tables: Any, states: Any, i: int, seat: int) -> None:
    """Replace what `seat` may not know of game `i` by another deal that looks the same to it."""
    redeal(tables[0], states[i], seat)


def reward_one(states: Any, i: int, reward: Any) -> None:
    """Every seat's reward in game `i`."""
    write_reward(states[i], reward)


def deal_games(tables: Any, states: Any, observation: Any, mask: Any, agent: Any) -> None:
    """Deal every game anew."""
    t = tables[0]
    for i in range(len(states)):
        s = states[i]
        deal(t, s)
        show(t, s, observation[i], mask[i])
        agent[i] = s["agent"]


def view_games(tables: Any, states: Any, observation: Any, mask: Any, agent: Any) -> None:
    """Write what the seat to decide sees, and its legal actions, in every game."""
    t = tables[0]
    for i in range(len(states)):
        s = states[i]
        show(t, s, observation[i], mask[i])
        agent[i] = s["agent"]


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
        over = s["agent"] == OVER
        done[i] = over
        write_reward(s, reward[i])
        if over:
            if len(ended):
                ended[i] = s
            deal(t, s)
        show(t, s, observation[i], mask[i])
        agent[i] = s["agent"]
    return -1


def sample_games(states: Any, games: Any, mask_words: Any, actions: Any) -> None:
    """A uniformly random legal action in each of `games`; `mask_words` are the masks, eight actions a word."""
    for k in range(len(games)):
        actions[k] = random_legal(states[games[k]], mask_words[games[k]])


def show(t: Any, s: Any, observation: Any, mask: Any) -> None:
    """What the seat to decide sees, and its legal actions."""
    write_mask(t, s, mask)
    if len(observation):
        observe(t, s, s["agent"], observation)


def hide_one(tables: Any, states: Any, i: int, seat: int) -> None:
    """Reduce game `i` to what `seat` knows of it."""
    hide(tables[0], states[i], seat)


def best_one(tables: Any, states: Any, i: int, mask: Any) -> int:
    """What the rules of thumb play in game `i`, chance deciding among equals."""
    return best_scored(tables[0], states[i], mask, True)


def best_games(tables: Any, states: Any, games: Any, mask: Any, actions: Any) -> None:
    """The same for each of `games`."""
    for k in range(len(games)):
        actions[k] = best_scored(tables[0], states[games[k]], mask[games[k]], True)


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
    reward: Any,
    decisions: Any,
) -> int:
    """Simulations of an information-set search from `hidden[0]`, what a seat knows; returns the size of the tree.

    `mask` and `mask_words` are one piece of memory, and `reward` has a place for every seat. The random numbers go on
    in `hidden[0]`, and `decisions[0]` gains those played."""
    t, s, seat = tables[0], scratch[0], hidden[0]["agent"]
    for _ in range(simulations):
        scratch[0] = hidden[0]
        redeal(t, s, seat)
        node = root
        growing = True
        while growing and s["agent"] != OVER:
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
        write_reward(s, reward)
        count_result(tree, node, root, reward)
        hidden[0]["rng"][:] = s["rng"]
    return nodes


def guided_search_one(
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
    reward: Any,
    decisions: Any,
    nets: Any,
    players: Any,
    observation: Any,
    knowing: bool,
) -> int:
    """The same guided by networks, `players` names that of each seat: a simulation ends where the tree does, with what
    the network thinks of the position. Forced decisions are passed through; what becomes legal in some deals only gets
    its priors there. `decisions[1]` gains the evaluations.

    `knowing` that all others play their networks, it draws their actions from these, as the cards of the deal tell them
    to: nothing is searched there, and a simulation ends where the seat itself decides."""
    t, s, seat = tables[0], scratch[0], hidden[0]["agent"]
    for _ in range(simulations):
        scratch[0] = hidden[0]
        redeal(t, s, seat)
        node, judged = root, False
        while s["agent"] != OVER:
            write_mask(t, s, mask)
            if knowing and s["agent"] != seat and count_legal(mask_words) > 1:
                keep_only(mask, players_action(t, s, mask_words, mask, nets, players[s["agent"]], 1.0, observation))
                decisions[1] += 1
            legal = count_legal(mask_words)
            if known_children(tree, node, mask) < legal:
                judged = legal > 1 and tree[node]["first_child"] == NONE
                nodes = widen(t, s, mask, legal, tree, nodes, node, reward, decisions, nets, players, observation)
            child = NONE if judged else likely_child(tree, node, mask, exploration)
            if child == NONE:  # the position was judged, or the tree is full
                break
            node = child
            apply(t, s, tree[node]["action"])
            decisions[0] += 1
        if not judged:
            write_reward(s, reward)
        count_result(tree, node, root, reward)
        hidden[0]["rng"][:] = s["rng"]
    return nodes


def widen(
    t: Any,
    s: Any,
    mask: Any,
    legal: int,
    tree: Any,
    nodes: int,
    node: int,
    reward: Any,
    decisions: Any,
    nets: Any,
    players: Any,
    observation: Any,
) -> int:
    """Give a node the children that it lacks in this deal, with the priors of whoever moves; returns the size of the
    tree. A leaf with a choice is judged, and the rewards are what everybody may expect there."""
    mover = s["agent"]
    nets.logits[:] = 1
    if legal > 1:
        observe(t, s, mover, observation)
        value = evaluate(nets, players[mover], observation, mask)
        to_probabilities(nets.logits, mask, 1.0)
        decisions[1] += 1
        if tree[node]["first_child"] == NONE:
            tree[node]["value"] = 0.5 + 0.5 * value
            write_expected(t, s, value, reward, nets, players, observation)
    return add_children(tree, nodes, node, mask, nets.logits, mover)


def keep_only(mask: Any, action: int) -> None:
    """Take away all other actions."""
    mask[:] = 0
    mask[action] = 1


def write_expected(t: Any, s: Any, value: float, reward: Any, nets: Any, players: Any, observation: Any) -> None:
    """What everybody may expect: whoever decides `value`, of two players the other one its opposite. Of more, every
    network says what it expects, and all are shifted alike to add up as rewards do."""
    mover, seats = s["agent"], len(reward)
    reward[mover] = value
    if seats == 2:
        reward[1 - mover] = -value
        return
    for seat in range(seats):
        if seat != mover:
            observe(t, s, seat, observation)
            reward[seat] = value_of(nets, players[seat], observation)
    reward[:] += (2 - seats - reward.sum()) / seats


def look_ahead_one(
    tables: Any,
    hidden: Any,
    scratch: Any,
    mask_words: Any,
    mask: Any,
    legal: Any,
    deals: int,
    depth: int,
    reward: Any,
    nets: Any,
    players: Any,
    observation: Any,
    worth: Any,
) -> None:
    """What each of the `legal` actions is worth to the seat that decides in `hidden[0]`: the hidden cards are dealt
    `deals` times, after each action the networks (`players` names that of each seat) play on for `depth` decisions with
    a choice, and then say what they expect. All actions meet the same deals, in `scratch[0]`; games go on in
    `scratch[1]`."""
    t, seat = tables[0], hidden[0]["agent"]
    worth[:] = 0
    for _ in range(deals):
        scratch[0] = hidden[0]
        redeal(t, scratch[0], seat)
        hidden[0]["rng"][:] = scratch[0]["rng"]
        for action in range(len(worth)):
            if legal[action]:
                scratch[1] = scratch[0]
                apply(t, scratch[1], action)
                expect(t, scratch[1], mask_words, mask, depth, reward, nets, players, observation)
                worth[action] += reward[seat] / deals


def expect(
    t: Any,
    s: Any,
    mask_words: Any,
    mask: Any,
    depth: int,
    reward: Any,
    nets: Any,
    players: Any,
    observation: Any,
) -> None:
    """What every seat may expect of a position that networks play on for a while."""
    while s["agent"] != OVER:
        write_mask(t, s, mask)
        action = nth_legal(mask_words, 0)
        if count_legal(mask_words) > 1:
            observe(t, s, s["agent"], observation)
            value = evaluate(nets, players[s["agent"]], observation, mask)
            if depth == 0:
                write_expected(t, s, value, reward, nets, players, observation)
                return
            depth -= 1
            to_probabilities(nets.logits, mask, 1.0)
            action = draw(nets.logits, random_share(s))
        apply(t, s, action)
    write_reward(s, reward)


def collect_games(
    tables: Any,
    states: Any,
    mask_words: Any,
    mask: Any,
    nets: Any,
    lineups: Any,
    shares: Any,
    lineup: Any,
    results: Any,
    observation: Any,
    rollout: Any,
) -> None:
    """Play every game until its row of the `rollout` is full of decisions of the networks that learn, the first
    `rollout.learners`, and one of them is to decide again; decisions without a choice are left out.

    A line-up names the player of each seat: a network, RANDOM or HEURISTIC. `lineup` holds that of each game; a new
    deal draws another (`shares`: their chances, added up). Its `results` gain the game, the decisions with a choice of
    those that learn and of the other networks, and each seat's reward."""
    t, places = tables[0], rollout.action.shape[1]
    for i in range(len(states)):
        s, legal, k = states[i], mask[i], 0
        rollout.last[:] = NONE
        while True:
            write_mask(t, s, legal)
            player = lineups[lineup[i], s["agent"]]
            action = nth_legal(mask_words[i], 0)
            if count_legal(mask_words[i]) > 1:
                learning = 0 <= player < rollout.learners[0]
                if learning and k == places:
                    break
                action = players_action(t, s, mask_words[i], legal, nets, player, 1.0, observation)
                if learning:
                    note_decision(nets, observation, legal, action, player, s["agent"], rollout, i, k)
                    k += 1
                results[lineup[i], 1 if learning else 2] += player >= 0
            apply(t, s, action)
            if s["agent"] == OVER:
                note_end(s, results[lineup[i]], rollout, i)
                deal(t, s)
                lineup[i] = first_above(shares, random_share(s))


def note_end(s: Any, results: Any, rollout: Any, i: int) -> None:
    """Game `i` is over: count it, and give every seat's last decision what came of it."""
    write_reward(s, rollout.rewards)
    note_rewards(rollout, i)
    results[0] += 1
    results[3:] += rollout.rewards


def play_games(
    tables: Any,
    states: Any,
    mask_words: Any,
    mask: Any,
    nets: Any,
    players: Any,
    temperature: float,
    observation: Any,
    reward: Any,
) -> int:
    """Play every game to its end, `players` (a network, RANDOM or HEURISTIC) on its seats, and deal it anew; returns
    the number of decisions."""
    t, decisions = tables[0], 0
    for i in range(len(states)):
        s, legal = states[i], mask[i]
        while s["agent"] != OVER:
            write_mask(t, s, legal)
            action = nth_legal(mask_words[i], 0)
            if count_legal(mask_words[i]) > 1:
                action = players_action(t, s, mask_words[i], legal, nets, players[s["agent"]], temperature, observation)
            apply(t, s, action)
            decisions += 1
        write_reward(s, reward[i])
        deal(t, s)
    return decisions


def players_action(
    t: Any, s: Any, mask_words: Any, legal: Any, nets: Any, player: int, temperature: float, observation: Any
) -> int:
    """What a network, RANDOM or HEURISTIC plays where there is something to choose."""
    if player == RANDOM:
        return random_legal(s, mask_words)
    if player == HEURISTIC:
        return best_scored(t, s, legal, True)
    observe(t, s, s["agent"], observation)
    evaluate(nets, player, observation, legal)
    to_probabilities(nets.logits, legal, temperature)
    return draw(nets.logits, random_share(s))


def play_out(t: Any, s: Any, mask_words: Any, mask: Any) -> int:
    """Play to the end, each time with the better of two random actions; returns the number of decisions.

    The best of four makes a simulation worth more and cost as much more: equal at equal time."""
    decisions = 0
    while s["agent"] != OVER:
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


def best_scored(t: Any, s: Any, mask: Any, planning: bool) -> int:
    """The action of a mask with the highest score, at first glance or planning ahead, random among equals; NONE if the
    mask is empty."""
    best, best_score, equals = NONE, 0.0, 0
    for action in range(len(mask)):
        if mask[action]:
            value = plan(t, s, action) if planning else score(t, s, action)
            if best == NONE or value > best_score:
                best, best_score, equals = action, value, 1
            elif value == best_score:
                equals += 1
                if random_below(s, Stream.SAMPLE, equals) == 0:
                    best = action
    return best
