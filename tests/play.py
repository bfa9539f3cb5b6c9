"""Playing any game in tests: by the words of `action_text`, or at random."""

import random


def play(game, *actions):
    """Play actions given as text in the form of `action_text`; each must be legal."""
    for action in actions:
        ids = legal(game)
        assert action in ids, f"{action!r} is not legal, but {sorted(ids)}"
        game.step(ids[action])


def legal(game):
    """The legal actions of whoever decides: text -> id."""
    mask = game.observe(game.agent_selection)["action_mask"]
    return {game.game.action_text(i): i for i in mask.nonzero()[0].tolist()}


def legal_starting(game, start):
    """The legal actions that begin with some words, without those words."""
    return {text.removeprefix(start).strip() for text in legal(game) if text.startswith(start)}


def snapshot(game):
    """All that a game holds."""
    arrays = game.position.states.tobytes(), game.position.mask.tobytes()
    return *arrays, game.state_dict(), game.agent_selection, dict(game.rewards)


def after(game, *actions):
    """The position after some actions."""
    play(game, *actions)
    return game.state_dict()


def random_action(game, chance):
    """Any legal action, with equal chances."""
    return chance.choice(game.observe(game.agent_selection)["action_mask"].nonzero()[0].tolist())


def random_play(make, seed, games=None, every=1):
    """Games at each decision of random play (every so many) and at the end; `make(chance)` makes each new one."""
    chance = random.Random(seed)
    played = 0
    while games is None or played < games:
        game = make(chance)
        game.reset(seed=chance.getrandbits(64))
        countdown = chance.randrange(every)
        while not game.terminations[game.agent_selection]:
            if countdown == 0:
                yield game
                countdown = every
            countdown -= 1
            game.step(random_action(game, chance))
        yield game
        played += 1
