"""One seat: its decisions, its rewards, its opponents."""

import copy
import random
import re
import subprocess
import sys
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

import drako_env  # noqa: F401 (registers the environments)
from drako_env import drako_v0, golden_dragon_v0, icarius_v0
from drako_env.drako.game import Drako
from drako_env.drako.rules import Rules
from drako_env.envs.seat import SeatGames
from drako_env.games import make_game
from drako_env.players import make_player
from drako_env.players.policy import PolicyAgent
from tests.drako.positions import position
from tests.every_game import one_of_each_game
from tests.golden_dragon.positions import position as golden_dragon_position

SEATS = ("dragon_0", "dwarves_0")
EVERY_SEAT = [
    pytest.param(drako_v0, {}, "dragon_0", id="dragon_0"),
    pytest.param(drako_v0, {}, "dwarves_0", id="dwarves_0"),
    pytest.param(golden_dragon_v0, {"num_players": 2}, "player_0", id="golden_dragon-2-player_0"),
    pytest.param(golden_dragon_v0, {"num_players": 5}, "player_3", id="golden_dragon-5-player_3"),
    pytest.param(icarius_v0, {"num_players": 3, "veto_scope": "any_opponent"}, "player_2", id="icarius-3-player_2"),
]
every_seat = pytest.mark.parametrize(("module", "options", "seat"), EVERY_SEAT)
GYMNASIUM_IDS = {
    "drako_env/Drako-v0": "dwarves_0",
    "drako_env/GoldenDragon-v0": "player_1",
    "drako_env/Icarius-v0": "player_1",
}


def seat_games(module, options, num_games, seat, opponent="random", seed=0):
    return SeatGames(module.raw_env(**options).game, num_games, seat, opponent, seed)


def first_legal(observation, mask):
    """A policy without chance."""
    return mask.argmax(axis=1)


def last_legal(observation, mask):
    return mask.shape[1] - 1 - mask[:, ::-1].argmax(axis=1)


def set_position(games, i, setting, position=position):
    """Put a hand-set position into game `i`."""
    batch = games.batch
    rng = batch._states["rng"][i].copy()
    batch._states[i] = position(**setting).position.state
    batch._states["rng"][i] = rng
    batch.game.kernels.view_games(batch.game.tables, batch._states, batch.observation, batch._mask, batch.agent)


def action_id(games, **action):
    return games.game.actions.index(action)


def test_a_loss_on_the_opponents_move_belongs_to_the_learners_last_action():
    """The dwarves strike with their last card; the dragon's answer, its own decision, ends the game (R5.7)."""
    games = SeatGames(Drako.of(Rules.load()), 3, "dwarves_0", first_legal, seed=0)
    hands = {"dwarves": {"axe-step": 1}, "dragon": {"walk": 1}}
    set_position(games, 1, {"agent": "dwarves", "hands": hands, "decks": {"dwarves": {}}, "fury": (1, 0)})
    actions = games.batch.action_mask.argmax(axis=1)
    actions[1] = action_id(games, type="play", card="axe-step", symbol="attack1")
    games.step(actions)
    assert games.done.tolist() == [False, True, False]
    assert games.reward.tolist() == [0, -1, 0]
    assert games.game.state_dict(games.final_states[1])["winner"] == "dragon"
    assert (games.batch.agent == 1).all(), "the next game has come to the learner's first decision"


def test_a_win_on_the_opponents_move_belongs_to_the_learner_too():
    """The dragon strikes; the dwarves block with their last card, and the dragon has won (R5.7)."""
    games = SeatGames(Drako.of(Rules.load()), 1, "dragon_0", last_legal, seed=0)
    hands = {"dragon": {"bite": 1}, "dwarves": {"shield": 1}}
    set_position(games, 0, {"hands": hands, "decks": {"dwarves": {}}, "fury": (1, 0)})
    games.step(np.array([action_id(games, type="play", card="bite", symbol="attack")]))
    assert not games.done[0]
    games.step(np.array([action_id(games, type="target", dwarf="fury")]))
    assert games.done[0]
    assert games.reward[0] == 1


def test_an_opponent_sees_its_own_observation_and_mask():
    fields = Drako.of(Rules.load()).observation_fields

    def opponent(observation, mask):
        assert (observation[:, fields["seat"]] == [0, 1]).all()
        assert (observation[:, fields["decider"]] == [1, 0]).all()
        assert (
            observation[:, fields["own_hand_size"]].sum(axis=1) == observation[:, fields["own_hand"]].sum(axis=1)
        ).all()
        assert mask.any(axis=1).all()
        return first_legal(observation, mask)

    games = SeatGames(Drako.of(Rules.load()), 20, "dragon_0", opponent, seed=0)
    for _ in range(100):
        games.step(games.batch.sample())


@pytest.mark.parametrize(
    "answer", [lambda o, m: m.argmax(axis=1) + 0.0, lambda o, m: 0, lambda o, m: np.zeros(1000, int)]
)
def test_an_opponent_that_answers_wrongly_is_named(answer):
    with pytest.raises(ValueError, match="opponent '<lambda>': expected integer actions"):
        drako_v0.sb3_env(4, seat="dwarves_0", opponent=answer)


def test_a_seeded_reset_draws_the_same_opponents():
    games = SeatGames(Drako.of(Rules.load()), 50, "dragon_0", [(1.0, "random"), (1.0, last_legal)], seed=0)
    games.reset(seed=8)
    bound = games._bound.copy()
    games.reset()
    assert not np.array_equal(games._bound, bound)
    games.reset(seed=8)
    assert np.array_equal(games._bound, bound)


def test_sb3_reset_starts_episodes_anew_and_uses_a_seed_once():
    env = drako_v0.sb3_env(3, seed=0)
    env.reset()
    for _ in range(20):
        env.step(env.games.batch.sample())
    env.seed(4)
    first = env.reset()
    assert not env.games.lengths.any()
    assert not np.array_equal(env.reset(), first)
    env.seed(4)
    assert np.array_equal(env.reset(), first)


@every_seat
def test_the_first_observation_is_the_learners_first_decision(module, options, seat):
    games = seat_games(module, options, 20, seat)
    index = games.game.seats.index(seat)
    for _ in range(200):
        assert (games.batch.agent == index).all()
        assert (games.batch.observation[:, games.game.observation_fields["seat"]][:, index] == 1).all()
        games.step(games.batch.sample())


@every_seat
def test_discounted_return_of_a_recorded_game(module, options, seat):
    """Replay a game by hand with PettingZoo: the learner's decisions and its discounted return must be the same."""
    gamma = 0.99
    env = module.sb3_env(1, seat=seat, opponent=last_legal, seed=7, **options)
    game, chance = module.raw_env(**options), random.Random(1)
    env.seed(5)
    env.reset()
    game.reset(seed=int(env.games.batch.seeds[0]))
    rewards, decisions = [], 0
    for _ in range(3):  # several games in a row
        total, length, done = 0.0, 0, False
        while not done:
            action = chance.choice(np.flatnonzero(env.action_masks()[0]).tolist())
            _, reward, dones, infos = env.step(np.array([action]))
            total += gamma**length * reward[0]
            length, done = length + 1, bool(dones[0])
            while game.agent_selection != seat:
                game.step(int(last_legal(None, game.observe(game.agent_selection)["action_mask"][None])[0]))
            game.step(action)
            while not game.terminations[game.agent_selection] and game.agent_selection != seat:
                game.step(int(last_legal(None, game.observe(game.agent_selection)["action_mask"][None])[0]))
            decisions += 1
            assert game.terminations[game.agent_selection] == done
        outcome = game.rewards[seat]
        assert total == pytest.approx(gamma ** (length - 1) * outcome)
        assert infos[0]["episode"]["r"] == outcome
        assert infos[0]["episode"]["l"] == length
        assert np.array_equal(infos[0]["terminal_observation"], game.observe(seat)["observation"])
        rewards.append(outcome)
        game.reset()
    assert set(rewards) <= {-1.0, 1.0}


def follow_opponents(games, steps):
    """Who played in each game between two deals: sets of opponent names, game by game."""
    seen = [set() for _ in range(len(games.done))]
    finished = []
    asked = games._actions

    def actions(opponent, rows):
        for row in rows:
            seen[row].add(games._opponents[opponent][0])
        return asked(opponent, rows)

    games._actions = actions
    bind = games._bind

    def bind_and_close(rows):
        for row in rows:
            finished.append(seen[row])
            seen[row] = set()
        bind(rows)

    games._bind = bind_and_close
    for step in range(steps):
        if step % 50 == 25:
            games.set_opponent({f"late {step}": (1.0, first_legal), "random": (1.0, "random")})
        games.step(games.batch.sample())
    return finished


def test_a_game_keeps_its_opponent_from_deal_to_end():
    pool = {"a": (1.0, first_legal), "b": (2.0, first_legal), "random": (1.0, "random")}
    games = SeatGames(Drako.of(Rules.load()), 24, "dwarves_0", pool, seed=0)
    finished = follow_opponents(games, 400)
    assert len(finished) > 60
    assert all(len(opponents) == 1 for opponents in finished), finished
    met = {name for opponents in finished for name in opponents}
    assert {"a", "b", "random"} < met
    assert any(name.startswith("late") for name in met)


def test_a_planted_swap_in_mid_game_is_caught():
    """The check above sees an opponent that changes during a game."""
    games = SeatGames(Drako.of(Rules.load()), 24, "dwarves_0", [(1.0, first_legal), (1.0, "random")], seed=0)
    honest = games.set_opponent

    def swapping(opponent):
        honest(opponent)
        games._bound[:] = games._choices[0]

    games.set_opponent = swapping
    assert any(len(opponents) > 1 for opponents in follow_opponents(games, 200))


def test_weights_are_kept():
    pool = [(3.0, first_legal), (1.0, last_legal), (0.0, "random")]
    games = SeatGames(Drako.of(Rules.load()), 4000, "dragon_0", pool, seed=0)
    share = np.bincount(games._bound, minlength=3) / 4000
    assert abs(share[0] - 0.75) < 0.03
    assert share[2] == 0


def test_results_go_by_the_opponents_names():
    """A name keeps its results when another player takes it over, and when nobody has it any more."""
    games = SeatGames(Drako.of(Rules.load()), 16, "dragon_0", {"a": (1.0, "random"), "b": (1.0, last_legal)}, seed=0)
    ends, rewards = 0, 0.0
    for names in ("ac", "c"):
        for _ in range(200):
            games.step(games.batch.sample())
            ends, rewards = ends + int(games.done.sum()), rewards + float(games.reward.sum())
        games.set_opponent(dict.fromkeys(names, (1.0, first_legal)))
    results = games.take_results()
    assert set(results) == {"a", "b", "c"}
    assert (ends, rewards) == tuple(map(sum, zip(*results.values(), strict=True)))
    assert games.take_results() == {}


def test_who_has_no_name_is_called_what_it_is():
    game = Drako.of(Rules.load())
    given = [(1.0, "random"), (1.0, first_legal), (1.0, make_player("heuristic", game)), (1.0, "random")]
    names = [name for name, _ in SeatGames(game, 2, "dragon_0", given, seed=0)._opponents]
    assert names == ["random", "first_legal", "HeuristicAgent", "random 4"]


@pytest.mark.parametrize(
    ("opponent", "says"),
    [
        ("clever", "unknown agent 'clever'; known are random, heuristic"),
        ("policy:nowhere", "there is no such file or folder"),
        ([], "no opponent has a weight"),
        ([(0.0, "random")], "no opponent has a weight"),
        ([(-1.0, "random"), (2.0, "random")], "must not be negative"),
        ([("random", 1.0)], "expected a player's name, a policy, an agent"),
        ([3], "opponent 3: expected a player's name, a policy, an agent"),
        (None, "expected a player's name, a policy, an agent"),
        ({"a": "random"}, "opponent 'random': expected a player's name"),
    ],
)
def test_bad_opponents_are_named(opponent, says):
    with pytest.raises(ValueError, match=says):
        drako_v0.sb3_env(2, opponent=opponent)


def test_a_bad_seat_is_named():
    with pytest.raises(ValueError, match="seat = 'elf': allowed are 'dragon_0', 'dwarves_0'"):
        drako_v0.sb3_env(2, seat="elf")


def test_sb3_env_keeps_its_promises():
    env = drako_v0.sb3_env(6, seat="dwarves_0", seed=3)
    assert is_masking_supported(env)
    assert env.env_method("action_masks") is env.action_masks()
    assert len(env.env_method("action_masks", indices=[1, 3])) == 2
    assert np.array_equal(get_action_masks(env), env.action_masks())
    assert env.get_attr("render_mode") == [None] * 6
    assert env.env_is_wrapped(gymnasium.Wrapper) == [False] * 6
    first = env.reset()
    assert env.observation_space.contains(first[0])
    kept = first.copy()
    done = np.zeros(6, bool)
    while not done.any():
        obs, rewards, done, infos = env.step(env.games.batch.sample())
        assert (rewards[~done] == 0).all()
        assert all(infos[i] == {} for i in np.flatnonzero(~done))
    assert np.array_equal(first, kept), "returned arrays are the caller's"
    ended = int(np.flatnonzero(done)[0])
    assert rewards[ended] in (-1.0, 1.0)
    phase = infos[ended]["terminal_observation"][env.games.game.observation_fields["phase"]]
    assert phase[-1] == 1, "the terminal observation shows a finished game"
    assert obs[ended][env.games.game.observation_fields["phase"]][-1] == 0


@every_seat
def test_sb3_env_is_reproducible(module, options, seat):
    def play(seed):
        env = module.sb3_env(5, seat, opponent=[(1.0, "random"), (1.0, last_legal)], seed=seed, **options)
        seen = [env.reset().tobytes()]
        for _ in range(200):
            obs, rewards, dones, _ = env.step(env.games.batch.sample())
            seen.append(obs.tobytes() + rewards.tobytes() + dones.tobytes())
        return seen

    assert play(4) == play(4) != play(5)


@pytest.mark.parametrize(
    ("module", "seat"), [(drako_v0, "dragon_0"), (drako_v0, "dwarves_0"), (golden_dragon_v0, "player")]
)
def test_maskable_ppo_trains_unmodified(module, seat):
    env = module.sb3_env(16, seat=seat, seed=0)
    model = MaskablePPO("MlpPolicy", env, n_steps=64, batch_size=256, n_epochs=1, seed=0, device="cpu")
    model.learn(3000)
    assert len(model.ep_info_buffer) > 5
    actions, _ = model.predict(env.reset(), action_masks=env.action_masks())
    env.step(actions)


@pytest.mark.parametrize(("name", "seat"), GYMNASIUM_IDS.items())
def test_gymnasium_env_plays_games(name, seat):
    env = gymnasium.make(name, seat=seat, opponent="random", render_mode="ansi")
    env.action_space.seed(0)
    outcomes = set()
    for seed in range(12):
        obs, info = env.reset(seed=seed)
        terminated = False
        while not terminated:
            assert np.array_equal(info["action_mask"], env.get_wrapper_attr("action_masks")())
            obs, reward, terminated, truncated, info = env.step(env.action_space.sample(info["action_mask"]))
            assert not truncated
            assert env.observation_space.contains(obs)
        assert info["action_mask"].all(), "no action will be played, so none is ruled out"
        fields = env.unwrapped._games.game.observation_fields
        assert obs[fields["phase"]][-1] == 1, "the last observation is of the end"
        assert "won: " in env.render()
        outcomes.add(reward)
        with pytest.raises(gymnasium.error.ResetNeeded):
            env.unwrapped.step(0)
    assert outcomes == {-1.0, 1.0}
    env.reset(seed=0)
    assert "your hand (dwarves)" in env.render() or "player 1 (you)" in env.render()
    with pytest.raises(
        ValueError, match=f"is illegal for {seat}.*; mask illegal actions .*MaskablePPO.*illegal='lose'"
    ):
        env.step(env.action_space.n - 1)


def test_gymnasium_env_is_found_without_an_import():
    code = "import gymnasium; print(gymnasium.make('drako_env:drako_env/Drako-v0').action_space)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "Discrete(222)"


@pytest.mark.parametrize(("name", "seat"), GYMNASIUM_IDS.items())
def test_gymnasium_vector_env(name, seat):
    env = gymnasium.make_vec(name, num_envs=7, seat=seat)
    assert env.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    obs, infos = env.reset(seed=1)
    assert env.observation_space.contains(obs)
    ends = 0
    for _ in range(300):
        actions = np.array([np.random.default_rng(1).choice(np.flatnonzero(mask)) for mask in infos["action_mask"]])
        obs, rewards, terminated, truncated, infos = env.step(actions)
        assert not truncated.any()
        assert (rewards[~terminated] == 0).all()
        assert ("final_obs" in infos) == terminated.any()
        for i in np.flatnonzero(terminated):
            ends += 1
            assert infos["final_obs"][i][env._games.game.observation_fields["phase"]][-1] == 1
            assert infos["action_mask"][i].any(), "the next game has begun"
    assert ends > 5


def test_agents_and_rules_of_thumb_are_opponents_too():
    game = make_game("drako")
    strong, weak = make_player("ismcts:30", game), make_player("random", game)
    rates = {}
    for name, opponent in (("search", strong), ("thumb", "heuristic"), ("agent", weak), ("named", "random")):
        games = SeatGames(game, 24, "dragon_0", {name: (1.0, opponent)}, 5)
        for _ in range(170):
            games.step(games.batch.sample())
        ((found, (count, total)),) = games.take_results().items()
        assert found == name
        assert count >= 24
        rates[name] = total / count
        assert games.take_results() == {}
    assert rates["thumb"] < -0.7
    assert rates["search"] < rates["agent"] - 0.4
    assert abs(rates["agent"] - rates["named"]) < 0.6


def test_golden_dragon_a_loss_on_the_opponents_move_belongs_to_the_learner():
    """The learner places its last stone of the turn; the next seat's first stone brings that seat home."""
    game = make_game("golden_dragon", num_players=3)
    own, other = (game.actions.index({"type": "place", "dragon": dragon}) for dragon in (1, 2))

    def home_or_first(observation, mask):
        """The second seat's own dragon, if it may move."""
        return np.where(mask[:, own] == 1, own, mask.argmax(axis=1))

    games = SeatGames(game, 2, "player_0", home_or_first, seed=0)
    near = {"hand": "W", "moves_left": 1, "cells": [(0, 5), (7, 5), (9, 6)]}
    cards = {"storms": [2, 0, 0], "bolts": [0, 0, 0], "holders": [["S"] * 4, ["S"] * 5, ["N"] * 5]}
    set_position(games, 1, near | cards, golden_dragon_position)
    actions = games.batch.action_mask.argmax(axis=1)
    actions[1] = other
    games.step(actions)
    assert games.done.tolist() == [False, True]
    assert games.reward.tolist() == [0, -1]
    assert game.state_dict(games.final_states[1])["winner"] == 1


def turns(games, steps):
    """The learner's seats, game after game, in each row; checks every decision and every reward on the way."""
    rows = [[int(seat)] for seat in games.seat]
    asked = games._actions
    current = games.seat.copy()

    def actions(opponent, waiting):
        assert (games.batch.agent[waiting] != games.seat[waiting]).all(), "an opponent plays the learner's seat"
        return asked(opponent, waiting)

    games._actions = actions
    for _ in range(steps):
        assert (games.batch.agent == games.seat).all(), "the learner decides on its own seat alone"
        seat_field = games.batch.observation[:, games.game.observation_fields["seat"]]
        assert (seat_field.argmax(axis=1) == games.seat).all()
        games.step(games.batch.sample())
        for i in np.flatnonzero(games.done):
            winner = games.game.state_dict(games.final_states[i])["winner"]
            assert games.reward[i] == (0 if winner is None else 1 if winner == current[i] else -1)
            final = games.final_observation[i][games.game.observation_fields["seat"]]
            assert final.argmax() == current[i]
            rows[i].append(int(games.seat[i]))
            current[i] = games.seat[i]
        assert (games.seat == current).all(), "seats change with a new game only"
    return rows


@pytest.mark.parametrize("num_players", [2, 3, 5])
def test_a_shared_role_puts_the_learner_on_every_seat_in_turn(num_players):
    games = seat_games(golden_dragon_v0, {"num_players": num_players}, 10, "player")
    assert set(games.seat.tolist()) == set(range(num_players)), "at the first deal too"
    rows = turns(games, 400)
    assert min(map(len, rows)) > 2
    for row in rows:
        assert row == [(row[0] + i) % num_players for i in range(len(row))]


def test_a_seat_of_its_own_stays():
    rows = turns(seat_games(golden_dragon_v0, {"num_players": 3}, 10, "player_1"), 200)
    assert {seat for row in rows for seat in row} == {1}


def test_a_role_that_one_seat_has_is_that_seat():
    games = seat_games(drako_v0, {}, 4, "dwarves")
    assert games.seat.tolist() == [1] * 4
    with pytest.raises(ValueError, match="seat = 'elf': allowed are 'player_0', 'player_1', 'player'"):
        golden_dragon_v0.sb3_env(2, seat="elf")


def test_a_seeded_reset_puts_the_learner_on_the_same_seats():
    games = seat_games(golden_dragon_v0, {"num_players": 3}, 5, "player")
    games.reset(seed=4)
    seats, start = games.seat.tolist(), games.batch.save()
    for _ in range(300):
        games.step(games.batch.sample())
    games.reset(seed=4)
    assert games.seat.tolist() == seats
    assert games.batch.save() == start


def test_the_last_picture_of_a_game_is_the_learners():
    """Its seat in that game, not the one that it takes in the next."""
    env = golden_dragon_v0.gym_env(seat="player", opponent="random", render_mode="ansi")
    for seed in range(4):
        _, info = env.reset(seed=seed)
        you, terminated = re.findall(r"player \d \(you\)", env.render()), False
        while not terminated:
            _, _, terminated, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
        assert re.findall(r"player \d \(you\)", env.render()) == you


def doors(opponent):
    """Every door with one seat of Drako against an opponent, as a function from a seed to what it shows."""
    single = gymnasium.make("drako_env/Drako-v0", seat="dwarves_0", opponent=opponent)
    many = gymnasium.make_vec("drako_env/Drako-v0", num_envs=3, seat="dwarves_0", opponent=opponent)
    return [drako_v0.gym_env("dwarves_0", opponent), single, many, SeededVecEnv(opponent)]


class SeededVecEnv:
    """Stable-Baselines3's environment with Gymnasium's `reset`."""

    def __init__(self, opponent):
        self.env = drako_v0.sb3_env(3, "dwarves_0", opponent)

    def reset(self, seed):
        self.env.seed(seed)
        return self.env.reset(), {"action_mask": self.env.action_masks()}

    def step(self, actions):
        observation, _, done, _ = self.env.step(actions)
        return observation, 0.0, done, done, {"action_mask": self.env.action_masks()}


class Last:
    """A player of one's own, by name and game by game."""

    def __init__(self, game):
        pass

    def reset(self, seed):
        pass

    def act(self, view):
        return view.legal()[-1]


@pytest.mark.parametrize("spec", ["random", "heuristic", "ismcts:2", "policy", "tests.envs.test_seat:Last"])
def test_every_player_is_an_opponent_by_its_name_in_every_door(spec):
    def shown(env, seed):
        observation, info = env.reset(seed=seed)
        seen = [observation.tobytes()]
        for _ in range(25):
            observation, _, done, _, info = env.step(info["action_mask"].argmax(axis=-1))
            seen.append(observation.tobytes())
            if np.all(done):
                break
        return seen

    for env in doors(spec):
        assert shown(env, 4) == shown(env, 4) != shown(env, 5), "all chance comes from the seed"


@pytest.mark.parametrize("seat", SEATS)
def test_a_learnt_policy_plays_many_games_at_once(seat, monkeypatch):
    """The policies of a folder, each on the seats of its role, never game by game."""
    make_player("policy", make_game("drako"))  # whoever is the first to compile it lets it play once
    monkeypatch.setattr(PolicyAgent, "act", None)
    env = drako_v0.sb3_env(64, seat, "policy", seed=1)
    for _ in range(140):
        env.step(env.games.batch.sample())
    games, total = env.games.take_results()["policy"]
    assert games > 40
    assert total / games < -0.8


def test_canonical_games_are_the_games_turned():
    """Observations, masks and last observations in canonical form; actions of the turned game are played back."""
    game, chance = make_game("drako"), np.random.default_rng(0)
    games, plain = (SeatGames(game, 24, "dwarves_0", "random", 4, canonical) for canonical in (True, False))
    turned, ends, ways = 0, 0, game.symmetries
    for _ in range(150):
        way = ways.canonical(plain.observation)
        turned += np.count_nonzero(way)
        assert np.array_equal(games.observation, ways.turn(plain.observation, way))
        assert np.array_equal(games.action_mask, ways.turn_mask(plain.action_mask, way))
        assert games.observation_space.contains(games.observation[0])
        actions = (chance.random(games.action_mask.shape) * games.action_mask).argmax(axis=1)
        games.step(actions)
        plain.step(ways.turn_back(actions, way))
        last = plain.final_observation[plain.done]
        assert np.array_equal(games.final_observation[games.done], ways.turn(last, ways.canonical(last)))
        assert np.array_equal(games.reward, plain.reward)
        ends += plain.done.sum()
    assert turned > 500
    assert ends > 20


@pytest.mark.parametrize(("name", "canonical"), [("drako", False), ("golden_dragon", True)])
def test_games_as_they_stand_are_shown_without_a_copy(name, canonical):
    """Where nobody asked for anything else, and where there is only one way to turn a game."""
    game = make_game(name)
    games = SeatGames(game, 4, game.seats[0], "random", 0, canonical)
    games.step(games.batch.sample())
    assert games.observation is games.batch.observation
    assert games.action_mask is games.batch.action_mask


@pytest.mark.parametrize("action", [-1, 222, 10**6])
def test_what_is_no_action_of_a_turned_game_is_refused(action):
    games = SeatGames(Drako.of(Rules.load()), 3, "dragon_0", "random", 0, canonical=True)
    actions, before = games.action_mask.argmax(axis=1), games.batch.save()
    actions[1] = action
    with pytest.raises(ValueError, match=f"game 1: action {action} is illegal for dragon_0"):
        games.step(actions)
    with pytest.raises(ValueError, match="actions must be integers of shape"):
        games.step(games.action_mask.argmax(axis=1)[:2])
    with pytest.raises(ValueError, match="actions must be integers of shape"):
        games.step(games.action_mask.argmax(axis=1) + 0.0)
    assert games.batch.save() == before


def test_canonical_doors_show_the_same_games():
    """What Stable-Baselines3 and Gymnasium show are the canonical observations and masks of the games."""
    env = drako_v0.sb3_env(8, seat="dwarves_0", seed=4, canonical=True)
    assert np.array_equal(env.reset(), env.games.observation)
    vector = drako_v0.gym_vector_env(8, "dwarves_0", canonical=True)
    single = drako_v0.gym_env("dwarves_0", canonical=True)
    for door in (vector, single):
        observation, info = door.reset(seed=3)
        for _ in range(100):
            assert np.array_equal(observation, door._games.observation.reshape(observation.shape))
            assert np.array_equal(info["action_mask"], door._games.action_mask.reshape(info["action_mask"].shape))
            observation, _, done, _, info = door.step(info["action_mask"].argmax(axis=-1))
            if done is True:
                break
    first = env.games.observation
    for _ in range(100):
        masks = env.env_method("action_masks")
        observation, _, done, infos = env.step(masks.argmax(axis=1))
        assert np.array_equal(observation, env.games.observation)
        for i in np.flatnonzero(done):
            assert np.array_equal(infos[i]["terminal_observation"], env.games.final_observation[i])
    assert not np.array_equal(first, observation)


def test_an_agent_that_looks_ahead_is_asked_game_by_game():
    """It weighs actions as a policy does, but has no quicker way for many games."""
    game = make_game("drako")
    player = make_player("improve:1", game)
    assert not hasattr(player, "act_batch")
    games = SeatGames(game, 2, "dragon_0", player, seed=0)
    for _ in range(3):
        games.step(games.action_mask.argmax(axis=1))


def any_action(game, count, seed=0):
    """Mostly illegal ones."""
    return np.random.default_rng(seed).integers(-2, len(game.actions) + 2, count)


@every_seat
def test_an_illegal_action_can_lose_the_game(module, options, seat):
    """Only that game ends, with what a loss costs; its last position is the one in which it was played."""
    env = module.sb3_env(8, seat, seed=3, illegal="lose", **options)
    twin = module.sb3_env(8, seat, seed=3, **options)
    before, masks = env.reset(), env.action_masks().copy()
    assert np.array_equal(before, twin.reset())
    actions = masks.argmax(axis=1)
    actions[[2, 5]] = [-1, np.flatnonzero(masks[5] == 0)[-1]]
    twin_actions = masks.argmax(axis=1)
    observation, rewards, dones, infos = env.step(actions)
    expected, *_ = twin.step(twin_actions)
    others = [0, 1, 3, 4, 6, 7]
    assert dones[[2, 5]].all()
    assert rewards[[2, 5]].tolist() == [-1, -1]
    assert np.array_equal(observation[others], expected[others]), "nobody else notices"
    for i in (2, 5):
        assert np.array_equal(infos[i]["terminal_observation"], before[i])
        assert infos[i]["illegal_action"]
        assert infos[i]["episode"]["r"] == -1
        assert infos[i]["episode"]["l"] == 1
    assert not any("illegal_action" in infos[i] for i in others)
    assert (env.games.batch.agent == env.games.seat).all(), "the next game has come to the learner's first decision"
    assert env.games.take_results()["random"] >= (2, -2.0)


@every_seat
def test_an_illegal_action_can_be_replaced(module, options, seat):
    """A legal one is played in its place, from the games' own random numbers; the others' actions stay."""
    games = [SeatGames(module.raw_env(**options).game, 6, seat, "random", 3, illegal="random") for _ in range(2)]
    wins = 0
    for step in range(200):
        actions = any_action(games[0].game, 6, seed=step)
        legal = np.array([0 <= a < m.size and m[a] == 1 for a, m in zip(actions, games[0].action_mask, strict=True)])
        for one in games:
            one.step(actions)
        assert np.array_equal(games[0].illegal_action, ~legal)
        assert games[0].batch.save() == games[1].batch.save(), "all chance comes from the seed"
        wins += (games[0].reward == 1).sum()
    assert wins, "random play wins sometimes"


@pytest.mark.parametrize("illegal", ["lose", "random"])
def test_turned_games_judge_the_actions_of_the_turned_game(illegal):
    """With `canonical` a legal action of what is shown is never taken for an illegal one."""
    games = SeatGames(Drako.of(Rules.load()), 20, "dwarves_0", "random", 0, canonical=True, illegal=illegal)
    for _ in range(50):
        games.step(games.action_mask.argmax(axis=1))
        assert not games.illegal_action.any()


def test_a_refused_action_changes_no_game():
    games = SeatGames(Drako.of(Rules.load()), 3, "dragon_0", "random", 0)
    before = games.batch.save()
    with pytest.raises(ValueError, match=r"game 1: action 999 is illegal for dragon_0 .*; mask illegal actions"):
        games.step(np.array([games.action_mask[0].argmax(), 999, 0]))
    assert games.batch.save() == before
    with pytest.raises(ValueError, match="illegal = 'win': allowed are 'raise', 'lose', 'random'"):
        drako_v0.gym_env(illegal="win")


def test_an_opponents_illegal_action_is_refused_whatever_the_learner_may_do():
    def wrong(observation, mask):
        return mask.argmin(axis=1)

    with pytest.raises(ValueError, match=r"is illegal for dragon_0 in phase '\w+'; legal are \[[\d, ]*\]$"):
        drako_v0.sb3_env(2, "dwarves_0", wrong, illegal="random")


@every_seat
def test_normalized_observations_are_counts_by_what_they_can_be(module, options, seat):
    """In every door from 0 to 1, and nothing is lost."""
    doors = [module.sb3_env(4, seat, seed=1, normalized=flag, **options) for flag in (True, False)]
    for env in doors:
        env.reset()
    high = doors[0].games.game.observation_high
    for _ in range(150):
        actions = doors[0].action_masks().argmax(axis=1)
        (seen, _, dones, infos), (plain, _, _, other) = (env.step(actions) for env in doors)
        assert seen.dtype == np.float32
        assert doors[0].observation_space.contains(seen[0])
        assert np.array_equal(np.rint(seen * high), plain)
        for i in np.flatnonzero(dones):
            last, raw = infos[i]["terminal_observation"], other[i]["terminal_observation"]
            assert np.array_equal(np.rint(last * high), raw)
    many, single = (
        module.gym_vector_env(3, seat, normalized=True, **options),
        module.gym_env(seat, normalized=True, **options),
    )
    for env in (many, single):
        observation, _ = env.reset(seed=0)
        assert env.observation_space.contains(observation)
        assert np.array_equal(
            observation[0] if env is many else observation, env._games.game.normalized(env._games.observation)[0]
        )
    batch, shown = (module.batch_env(5, seed=0, normalized=flag, **options) for flag in (False, True))
    for _ in range(60):
        for games in (batch, shown):
            games.step(games.sample())
        assert np.array_equal(np.rint(batch.normalized * high), batch.observation)
        assert np.array_equal(shown.observation, batch.normalized)
        assert shown.observation.dtype == np.float32
    assert copy.deepcopy(shown).observation.dtype == np.float32
    assert module.batch_env(5, observe=False, normalized=True, **options).observation.shape == (5, 0)


def test_a_reset_may_name_a_seed_for_every_game():
    """Each plays as a single game with its seed; where there is none its random numbers go on."""
    many, single = drako_v0.gym_vector_env(3, "dwarves_0"), drako_v0.gym_env("dwarves_0")
    first, _ = many.reset(seed=[5, 6, 7])
    for i, seed in enumerate((5, 6, 7)):
        assert np.array_equal(first[i], single.reset(seed=seed)[0])
    again, _ = many.reset(seed=[5, None, 7])
    assert np.array_equal(again[[0, 2]], first[[0, 2]])
    assert not np.array_equal(again[1], first[1])
    with pytest.raises(ValueError, match="2 seeds for 3 games"):
        many.reset(seed=[1, 2])


def test_some_of_many_games_can_be_dealt_anew():
    env = drako_v0.gym_vector_env(4, autoreset_mode="Disabled")
    first, _ = env.reset(seed=1)
    second, _ = env.reset(options={"reset_mask": np.array([True, False, True, False])})
    assert np.array_equal(second[[1, 3]], first[[1, 3]])
    assert not np.array_equal(second[[0, 2]], first[[0, 2]])
    with pytest.raises(ValueError, match="reset_mask must be an array of 4 bool"):
        env.reset(options={"reset_mask": np.array([1, 0, 0, 0])})


def test_a_game_that_is_over_waits_for_its_reset_if_that_was_asked_for():
    env = drako_v0.gym_vector_env(3, autoreset_mode="Disabled", render_mode="ansi")
    _, infos = env.reset(seed=0)
    over = np.zeros(3, bool)
    while not over.any():
        observation, _, over, _, infos = env.step(infos["action_mask"].argmax(axis=1))
    i = int(over.argmax())
    assert infos["action_mask"][i].all()
    assert observation[i][env._games.game.observation_fields["phase"]][-1] == 1
    assert "won: " in env.render()[i]
    with pytest.raises(gymnasium.error.ResetNeeded, match=rf"games \[{i}.* are over"):
        env.step(infos["action_mask"].argmax(axis=1))


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, "NEXT_STEP", "NextStep"])
def test_a_mode_goes_by_its_names(mode):
    assert drako_v0.gym_vector_env(1, autoreset_mode=mode).metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    with pytest.raises(ValueError, match="autoreset_mode = 'never': allowed are 'NEXT_STEP', 'SAME_STEP', 'DISABLED'"):
        drako_v0.gym_vector_env(1, autoreset_mode="never")


@one_of_each_game
def test_nobody_gets_the_same_games_unless_told_to(module, options):
    """A seed is a promise in every door; without one the deals are nobody's."""
    for door in (module.batch_env, module.sb3_env):
        first, other, given, same = (door(8, **seed, **options) for seed in ({}, {}, {"seed": 0}, {"seed": 0}))
        starts = [getattr(games, "games", games) for games in (first, other, given, same)]
        deals = [getattr(games, "batch", games).save() for games in starts]
        assert deals[0] != deals[1]
        assert deals[2] == deals[3]
    for door in (module.gym_env, partial(module.gym_vector_env, 8)):
        first, other = (door(**options)._games.batch.save() for _ in range(2))
        assert first != other
