"""Policies as files: what is written is what plays, and nothing foreign is loaded."""

import copy
import json
import pickle
import struct

import numpy as np
import pytest

from drako_env import drako_v0
from drako_env.engine.game import rules_digest
from drako_env.engine.view import SeatView
from drako_env.evaluation.match import play_game
from drako_env.games import make_game
from drako_env.players import make_player, shipped_policy
from drako_env.players.policy import PolicyAgent, load_policy, save_policy
from tests.kuhn.game import Kuhn, Rules


def network(game, sizes=(24, 16), seed=0):
    chance, width, tensors = np.random.default_rng(seed), len(game.observation_high), {}
    tensors["scale"] = np.ones(width, np.float32)
    for layer, size in enumerate(sizes):
        tensors[f"{layer}.weight"] = chance.normal(size=(size, width)).astype(np.float32) / 8
        tensors[f"{layer}.bias"] = chance.normal(size=size).astype(np.float32)
        width = size
    for head, size in (("policy", len(game.actions)), ("value", 1)):
        tensors[f"{head}.weight"] = chance.normal(size=(size, width)).astype(np.float32)
        tensors[f"{head}.bias"] = np.zeros(size, np.float32)
    return tensors


@pytest.fixture
def game():
    return make_game("drako")


@pytest.fixture
def folder(game, tmp_path):
    for seed, role in enumerate(("dragon", "dwarves")):
        save_policy(
            tmp_path / f"{role}.safetensors", game, network(game, seed=seed), {"canonical": "yes", "seat": f"{role}_0"}
        )
    return tmp_path


def positions(count=300, steps=40, **options):
    batch = drako_v0.batch_env(count, seed=2, **options)
    for _ in range(steps):
        batch.step(batch.sample())
    return batch


def test_a_policy_plays_legally_and_as_it_says(game, folder):
    batch = positions()
    policy = load_policy(folder / "dragon.safetensors", game, seed=1)
    shares = policy.probabilities(batch.observation, batch.action_mask)
    assert shares.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert (shares[batch.action_mask == 0] == 0).all()
    rows = np.arange(batch.num_games)
    counts = np.zeros_like(shares)
    for _ in range(400):
        counts[rows, policy(batch.observation, batch.action_mask)] += 1
    assert (counts[batch.action_mask == 0] == 0).all()
    assert np.abs(counts / 400 - shares).max() < 0.15


def test_a_policy_for_canonical_forms_does_not_care_how_the_board_lies(game, folder):
    batch, ways = positions(), game.symmetries
    policy = load_policy(folder / "dwarves.safetensors", game)
    turned = np.arange(batch.num_games) % 12
    shares = policy.probabilities(batch.observation, batch.action_mask)
    others = policy.probabilities(ways.turn(batch.observation, turned), ways.turn_mask(batch.action_mask, turned))
    back = np.empty_like(others)
    np.put_along_axis(back, ways.actions[turned], others, axis=1)
    twins = (shares - back).__abs__().max(axis=1) > 1e-4
    own_twin = np.array(
        [len(np.unique(ways.turn(np.tile(row, (12, 1)), np.arange(12)), axis=0)) < 12 for row in batch.observation]
    )
    assert not (twins & ~own_twin).any()
    assert (~own_twin).sum() > 200


def test_an_agent_plays_whole_games_on_both_seats(game, folder):
    agent = make_player(f"policy:{folder}", game)
    for seed in range(3):
        result = play_game(game, [agent, agent], seed)
        assert result == play_game(game, [agent, agent], seed)
    batch = positions(1)
    view = SeatView.of(game, batch._states)
    agent.reset(0)
    action = agent.act(view)
    assert action in view.legal()
    assert sum(weight for _, weight in agent.opinions()) == pytest.approx(1, abs=1e-5)


def test_an_agent_plays_many_games_at_once_each_seat_by_its_own_policy(game, folder):
    """As the single policies would, rows of both seats mixed."""
    agent, batch = make_player(f"policy:{folder}", game), positions()
    agent.reset(3)
    actions = agent.act_batch(batch.agent, batch.observation, batch.action_mask)
    chance = np.random.default_rng(3)
    for seat, role in enumerate(("dragon", "dwarves")):
        rows = batch.agent == seat
        policy = load_policy(folder / f"{role}.safetensors", game)
        assert rows.sum() > 50
        assert np.array_equal(actions[rows], policy.sample(batch.observation[rows], batch.action_mask[rows], chance))
    (folder / "dwarves.safetensors").unlink()
    alone = make_player(f"policy:{folder}", game)
    alone.reset(0)
    with pytest.raises(ValueError, match="plays dragon, not dwarves"):
        alone.act_batch(batch.agent, batch.observation, batch.action_mask)


def test_r12_a_policy_does_not_see_what_is_hidden(game, folder):
    agent, batch = PolicyAgent(game, folder), positions(60)
    for i in range(batch.num_games):
        view = SeatView.of(game, batch._states, i)
        agent.reset(7)
        action = agent.act(view)
        for deal in range(3):
            other = SeatView.of(game, view.determinize(deal))
            agent.reset(7)
            assert agent.act(other) == action


def claim(path, **claims):
    """Change what a file says of itself."""

    def change(header):
        header["__metadata__"]["about"] = json.dumps(json.loads(header["__metadata__"]["about"]) | claims)

    rewrite(path, change)


def rewrite(path, change):
    """Change the header of a file."""
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    change(header)
    new = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(new)) + new + data[8 + length :])


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda path: path.write_bytes(path.read_bytes()[:-100]), "cannot be read"),
        (lambda path: path.write_bytes(b"\x80\x04pickle?"), "cannot be read"),
        (lambda path: path.write_bytes(b""), "cannot be read"),
        (lambda path: claim(path, format="other"), "not a policy of this project .its format is 'other'"),
        (lambda path: claim(path, game="chess"), "made for the game 'chess', not 'drako_v0'"),
        (lambda path: claim(path, rules="0"), "made for other rules"),
        (lambda path: claim(path, layers="3"), "2.bias.*missing"),
        (lambda path: claim(path, layers="x"), "invalid literal"),
        (lambda path: claim(path, layers="1000000000"), "layers: invalid literal '1000000000'"),
        (lambda path: claim(path, layers="9" * 5000), "layers: invalid literal"),
        (lambda path: claim(path, layers="-1"), "layers: invalid literal"),
        (lambda path: claim(path, seat="elf_0"), "its seat is 'elf_0'; expected one of dragon_0, dwarves_0"),
        (lambda path: rewrite(path, lambda header: header["__metadata__"].update(about="[" * 100_000)), "not a policy"),
        (
            lambda path: rewrite(path, lambda header: header["0.bias"].update(dtype="I32")),
            "'0.bias' holds neither 32-bit",
        ),
        (lambda path: rewrite(path, lambda header: header["__metadata__"].update(about="7")), "its format is None"),
        (lambda path: (path.unlink(), path.mkdir()), "cannot be read .*Is a directory"),
        (lambda path: path.unlink(), "cannot be read .*No such file"),
    ],
)
def test_a_broken_or_foreign_file_is_named(game, folder, damage, says):
    path = folder / "dragon.safetensors"
    damage(path)
    with pytest.raises(ValueError, match=says) as error:
        load_policy(path, game)
    assert str(path) in str(error.value)
    assert len(str(error.value)) < 600 + len(str(path))


def test_networks_of_the_wrong_shape_or_without_numbers_are_refused(game, tmp_path):
    path, tensors = tmp_path / "x.safetensors", network(game)
    save_policy(path, game, tensors | {"policy.bias": np.zeros(3, np.float32)}, {})
    with pytest.raises(ValueError, match=r"policy.bias is float32 \(3,\), not \(222,\)"):
        load_policy(path, game)
    save_policy(path, game, tensors | {"0.bias": np.full(24, np.nan, np.float32)}, {})
    with pytest.raises(ValueError, match=r"0.bias holds values that are no numbers"):
        load_policy(path, game)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda tensors: {"0.bias": tensors["0.bias"][:0], "0.weight": tensors["0.weight"][:0]}, "0.bias is empty"),
        (lambda tensors: {"value.bias": np.zeros(2, np.float32)}, r"value.bias is float32 \(2,\), not \(1,\)"),
        (lambda tensors: {"0.weight": tensors["0.weight"] * np.float32(1e36)}, "its weights are too large"),
        (
            lambda tensors: {name: tensor * np.float32(1e12) for name, tensor in tensors.items()},
            "weights are too large",
        ),
        (lambda tensors: {"scale": tensors["scale"] * np.float32(1e31)}, "its weights are too large"),
    ],
)
def test_networks_that_could_leave_the_numbers_are_refused(game, tmp_path, change, says):
    """Finite weights, but products of them that are not: every probability would be nan."""
    path, tensors = tmp_path / "x.safetensors", network(game)
    save_policy(path, game, tensors | change(tensors), {"seat": "dragon_0"})
    with pytest.raises(ValueError, match=says):
        load_policy(path, game)


def test_a_number_is_no_layer(game, tmp_path):
    path = tmp_path / "x.safetensors"
    save_policy(path, game, network(game, sizes=(1,)), {"seat": "dragon_0"})
    rewrite(path, lambda header: header["0.bias"].update(shape=[]))
    with pytest.raises(ValueError, match=r"0.bias is empty"):
        load_policy(path, game)


def test_large_weights_that_stay_numbers_are_played(game, tmp_path):
    path, batch = tmp_path / "x.safetensors", positions(40)
    tensors = {name: tensor * np.float32(1e5) for name, tensor in network(game).items()}
    save_policy(path, game, tensors, {"seat": "dragon_0"})
    shares = load_policy(path, game).probabilities(batch.observation, batch.action_mask)
    assert shares.sum(axis=1) == pytest.approx(1, abs=1e-5)
    assert (shares[batch.action_mask == 0] == 0).all()


def test_a_file_of_other_rules_says_what_it_was_made_with(game, folder):
    path = folder / "dragon.safetensors"
    claim(path, rules="a2cd397eb37a1115", rules_version="1")
    here = f"'reconstructed', version '2', digest '{rules_digest(game)}'"
    says = f"made for other rules .'reconstructed', version '1', digest 'a2cd397eb37a1115'. than there are here .{here}"
    with pytest.raises(ValueError, match=f"{says}.*train anew"):
        load_policy(path, game)


def test_a_policy_plays_only_under_its_own_rules(folder):
    with pytest.raises(ValueError, match="made for other rules"):
        load_policy(folder / "dragon.safetensors", make_game("drako", edition="2019"))


def test_a_policy_of_one_side_plays_no_other(game, folder):
    (folder / "dwarves.safetensors").unlink()
    for path in (folder, folder / "dragon.safetensors"):
        agent = make_player(f"policy:{path}", game)
        with pytest.raises(ValueError, match="plays dragon, not dwarves"):
            play_game(game, [agent, agent], 0)
        assert play_game(game, [agent, make_player("random", game)], 0).decisions > 10
    (folder / "dragon.safetensors").unlink()
    with pytest.raises(ValueError, match=r"holds none of dragon\.safetensors, dwarves\.safetensors"):
        make_player(f"policy:{folder}", game)


def test_rules_of_another_name_are_the_same_rules(game, folder):
    same = make_game("drako", rules=game.rules_table() | {"name": "copy"})
    assert load_policy(folder / "dragon.safetensors", same)


def test_a_path_that_is_not_there(game):
    with pytest.raises(ValueError, match="agent 'policy:nowhere': there is no such file or folder"):
        make_player("policy:nowhere", game)


@pytest.mark.parametrize(("seat", "file"), [("dragon_0", "dragon"), ("dwarves_0", "dwarves")])
def test_the_policy_that_comes_with_the_project_beats_the_heuristic(game, seat, file):
    from agents.league.judge import count_wins

    policy = load_policy(shipped_policy(game) / f"{file}.safetensors", game)
    assert count_wins(game, seat, policy, "heuristic", 100, 0) > 80


def test_a_game_without_a_policy_of_its_own_says_so():
    game = Kuhn.of(Rules())
    with pytest.raises(ValueError, match=f"agent 'policy': none comes with {game.name}"):
        make_player("policy", game)


def test_a_copy_computes_in_memory_of_its_own(game, folder):
    """Ray hands out arrays that nobody may write to."""
    policy = load_policy(folder / "dragon.safetensors", game, seed=3)
    for tensor in policy.tensors.values():
        tensor.flags.writeable = False
    copies = pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)
    batch = positions()
    chosen = policy(batch.observation, batch.action_mask)
    for twin in copies:
        assert not np.shares_memory(twin.nets.logits, policy.nets.logits)
        assert np.array_equal(twin(batch.observation, batch.action_mask), chosen)
