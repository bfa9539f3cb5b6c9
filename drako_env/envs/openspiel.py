"""A game as an OpenSpiel game with explicit chance nodes. `import drako_env.openspiel` registers all of them.

What OpenSpiel asks for a player:

- observation tensor: the game's own observation as numbers from 0 to 1 (see `Game.normalized`), its fields by name
  (`make_py_observer().dict["own_hand"]`);
- observation string: the same fields as text, without those that are all zeros;
- information-state string: all that the player was told in the game, line by line, then the observation string;
- information-state tensor: `player` (one-hot), `observation`, and `history`, one number for each event so far: 0 is no
  event, 1 one of which the player knows only that it happened, 2 + id an action, 2 + A + number an outcome of chance,
  all of them divided by the greatest so that they are from 0 to 1, too.

OpenSpiel serialises states of Python games with pickle: load none that you did not save yourself. Its bot in C++,
`pyspiel.ISMCTSBot`, ends the process with any game that is written in Python, and refuses ours by `refuse_states`.
"""

from collections.abc import Callable, Collection, Mapping
from functools import wraps
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    import pyspiel
except ImportError as error:
    raise ImportError("this needs OpenSpiel: pip install 'drako-env[openspiel]'") from error

from drako_env.engine.game import Game
from drako_env.engine.position import Position, prepare
from drako_env.engine.rng import one_seed, seed_words

NO_WORD, NO_NUMBER = "", -1
"""What stands for an option that is not given: then it is as the rules table says."""
HIDDEN, FIRST_ACTION = 1, 2
EVENT = np.dtype("<u4")
SEEDS = 2**53


class SpielGame(pyspiel.Game):
    """A game under one set of rules. `parameters` are those that were given."""

    def __init__(self, name: str, game: Game, parameters: Mapping[str, Any]) -> None:
        prepare(game)
        self.game = game
        self._made_of = name, game, dict(parameters)
        seats = len(game.seats)
        super().__init__(game_type(name, game, seats, seats, {}), _game_info(game), dict(parameters))
        dealt = Position(game).deal(0)
        game.chance.take_back(None, 0, dealt.state)
        dealt.states["rng"] = 0
        self.undealt = dealt.states.tobytes()
        self.first_player = _decider(dealt)

    def __reduce__(self) -> tuple[Any, ...]:
        return SpielGame, self._made_of

    def new_initial_state(self) -> "SpielState":
        """Before the deal."""
        return SpielState(self)

    def max_chance_nodes_in_history(self) -> int:
        """No game has more."""
        return self.game.chance.max_events

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> "SeatObserver | None":
        """What a player sees, or with perfect recall knows; public and private parts are not offered by themselves."""
        if params:
            raise ValueError(f"observers take no parameters, but got {params}")
        wanted = iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False)
        if not wanted.public_info or wanted.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            return None
        return SeatObserver(self.game, wanted.perfect_recall)


class SpielState(pyspiel.State):
    """A position and, for each seat, all that it was told. Random numbers play no part: chance has its own nodes."""

    def __init__(self, game: SpielGame) -> None:
        super().__init__(game)
        self._game = game.game
        self._record = game.undealt
        self._told = ("",) * len(self._game.seats)
        self._events = (b"",) * len(self._game.seats)
        self._player = game.first_player

    def current_player(self) -> int:
        """The seat to decide, or OpenSpiel's id for chance and for the end."""
        return self._player

    def is_terminal(self) -> bool:
        """The game is over."""
        return bool(self._player == pyspiel.PlayerId.TERMINAL)

    def returns(self) -> list[float]:
        """Every seat's reward."""
        return self.position.rewards()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """All that can be drawn now."""
        return list(self._game.chance.outcomes(self.position.state))

    @property
    def position(self) -> Position:
        """A copy that the caller may change."""
        return Position.of(self._game, np.frombuffer(self._record, self._game.state_dtype)[0])

    def observation(self, player: int) -> NDArray[np.int8]:
        """What a seat sees of the position."""
        return self.position.observation(player)

    def told(self, player: int) -> str:
        """All that a seat has been told, a line for each event."""
        return self._told[player]

    def events(self, player: int) -> NDArray[np.uint32]:
        """The same as numbers."""
        return np.frombuffer(self._events[player], EVENT)

    def resample_from_infostate(self, player_id: int, probability_sampler: Callable[[], float]) -> "SpielState":
        """A game that took another course in what the player cannot know, chance deciding."""
        hidden, events = self.position, [(event.player, event.action) for event in self.full_history()]
        hidden.states["rng"] = seed_words(one_seed(int(probability_sampler() * SEEDS)))
        hidden.redeal(player_id)
        other: SpielState = self.get_game().new_initial_state()
        for action in self._game.chance.resampled(events, hidden.state, player_id):
            other.apply_action(action)
        return other

    def _legal_actions(self, player: int) -> list[int]:
        return self.position.legal()

    def _apply_action(self, action: int) -> None:
        if self._player == pyspiel.PlayerId.CHANCE:
            self._decide_by_chance(action)
        else:
            self._play(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return self._game.chance.outcome_text(self.position.state, action, None)
        return self._game.action_text(action)

    def __str__(self) -> str:
        position = self._game.state_dict(self.position.state)
        waiting = "chance decides\n" if self._player == pyspiel.PlayerId.CHANCE else ""
        return waiting + "\n".join(f"{key}: {value}" for key, value in position.items())

    def _play(self, action: int) -> None:
        game, position = self._game, self.position
        before, who = position.state.copy(), game.seats[self._player]
        if not position.play(action):
            raise ValueError(f"action {action} is not legal in phase {game.phase(before)!r}")
        game.chance.take_back(before, action, position.state)
        position.states["rng"] = 0
        texts = [f"{who}: {game.event_text(before, action, seat)}" for seat in range(len(game.seats))]
        self._remember(FIRST_ACTION + action, texts[self._player], texts)
        self._go_on(position)

    def _decide_by_chance(self, outcome: int) -> None:
        chance, position, seats = self._game.chance, self.position, range(len(self._game.seats))
        *texts, in_full = [chance.outcome_text(position.state, outcome, seat) for seat in (*seats, None)]
        chance.lay_out(position.state, outcome)
        self._remember(FIRST_ACTION + len(self._game.actions) + outcome, in_full, texts)
        self._go_on(position)

    def _go_on(self, position: Position) -> None:
        self._record = position.states.tobytes()
        self._player = _decider(position)

    def _remember(self, event: int, in_full: str, texts: list[str]) -> None:
        """Each seat remembers what it was told; the event itself only if that was all."""
        known, hidden = (np.array(number, EVENT).tobytes() for number in (event, HIDDEN))
        self._told = tuple(f"{old}{new}\n" for old, new in zip(self._told, texts, strict=True))
        self._events = tuple(
            old + (known if new == in_full else hidden) for old, new in zip(self._events, texts, strict=True)
        )


def _decider(position: Position) -> int:
    """The seat to decide, or OpenSpiel's id for chance and for the end."""
    if position.game.chance.outcomes(position.state):
        return int(pyspiel.PlayerId.CHANCE)
    return int(pyspiel.PlayerId.TERMINAL) if position.over else position.agent


class SeatObserver:
    """What a player sees (or, with perfect recall, knows) as tensors by name and as a string; see the module."""

    def __init__(self, game: Game, perfect_recall: bool) -> None:
        self._game, self._fields, self._seats = game, game.observation_fields, game.seats
        self._highest = FIRST_ACTION + len(game.actions) + max(0, game.chance.max_outcomes - 1)
        self._perfect_recall = perfect_recall
        width = len(game.observation_high)
        pieces = {name: field.stop - field.start for name, field in self._fields.items()}
        if perfect_recall:
            events = game.max_decisions + game.chance.max_events
            pieces = {"player": len(game.seats), "observation": width, "history": events}
        self.tensor = np.zeros(sum(pieces.values()), np.float32)
        ends = np.cumsum(list(pieces.values())).tolist()
        self.dict = {name: self.tensor[end - pieces[name] : end] for name, end in zip(pieces, ends, strict=True)}

    def set_from(self, state: SpielState, player: int) -> None:
        """Write the tensors."""
        if not self._perfect_recall:
            self.tensor[:] = self._game.normalized(state.observation(player))
            return
        self.tensor[:] = 0
        events = state.events(player)
        self.dict["player"][player] = 1
        self.dict["observation"][:] = self._game.normalized(state.observation(player))
        self.dict["history"][: len(events)] = events / self._highest

    def string_from(self, state: SpielState, player: int) -> str:
        """The string."""
        observation = state.observation(player)
        parts = {name: observation[field].tolist() for name, field in self._fields.items()}
        seen = [f"{name}: {' '.join(map(str, part))}" for name, part in parts.items() if any(part)]
        told = state.told(player) if self._perfect_recall else ""
        return f"{self._seats[player]}\n{told}" + "\n".join(seen)


def register(name: str, make: Callable[..., Game], tables: tuple[str, ...], options: Mapping[str, Any]) -> None:
    """Make a game known to `pyspiel.load_game`. Parameters are `rules` and the game's options."""
    defaults = {"rules": tables[0]} | {key: _not_given(values) for key, values in options.items()}
    players = options.get("num_players", (len(make().seats),))

    class Registered(SpielGame):  # OpenSpiel keeps it beyond Python's end, which a function would not survive
        def __init__(self, parameters: Mapping[str, Any]) -> None:
            given = {key: value for key, value in parameters.items() if value != defaults[key]}
            chosen = {key: _typed(key, value, options.get(key, tables)) for key, value in given.items()}
            super().__init__(name, make(**chosen), given)

    pyspiel.register_game(game_type(name, make(), min(players), max(players), defaults), Registered)


def refuse_states(bot: Any) -> None:
    """Let a bot of OpenSpiel's that crashes with games written in Python say so, where it is given one of ours."""

    def checked(method: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(method)
        def call(self: Any, state: Any) -> Any:
            if isinstance(state, SpielState):
                better = "open_spiel.python.algorithms.ismcts.ISMCTSBot plays them"
                raise TypeError(f"pyspiel.{bot.__name__} is written in C++ and cannot play games of Python: {better}")
            return method(self, state)

        return call

    for name in ("step", "step_verbose", "step_with_policy", "get_policy"):
        setattr(bot, name, checked(getattr(bot, name)))


def booleans_as_numbers(load: Callable[..., Any], names: Collection[str]) -> Callable[..., Any]:
    """OpenSpiel's `load_game` for which the yes and no of these games, in words or as parameters, are 1 and 0."""

    @wraps(load)
    def load_game(game: Any, *parameters: Mapping[str, Any]) -> Any:
        if not isinstance(game, str) or game.partition("(")[0] not in names:
            return load(game, *parameters)
        known = dict(pyspiel.game_parameters_from_string(game))
        for given in parameters:
            known |= given
        name = known.pop("name")
        return load(name, {key: int(value) if isinstance(value, bool) else value for key, value in known.items()})

    return load_game


def _not_given(values: tuple[Any, ...]) -> Any:
    """OpenSpiel reads digits as a number, whatever was meant, so such an option is one; yes and no are 1 and 0."""
    return NO_NUMBER if str(int(values[0]) if values[0] in (False, True) else values[0]).isdecimal() else NO_WORD


def _typed(name: str, value: Any, values: tuple[Any, ...]) -> Any:
    """A parameter as the game wants it."""
    if isinstance(values[0], bool) and value not in (0, 1):
        raise ValueError(f"{name} = {value!r}: expected 0 or 1")
    return type(values[0])(value)


def game_type(name: str, game: Game, min_players: int, max_players: int, parameters: Mapping[str, Any]) -> Any:
    """What OpenSpiel wants to know of a game beforehand."""
    kind = pyspiel.GameType
    explicit, none = kind.ChanceMode.EXPLICIT_STOCHASTIC, kind.ChanceMode.DETERMINISTIC
    return kind(
        short_name=name,
        long_name=f"{game.name} of drako_env",
        dynamics=kind.Dynamics.SEQUENTIAL,
        chance_mode=explicit if game.chance.max_outcomes else none,
        information=kind.Information.IMPERFECT_INFORMATION,
        utility=kind.Utility.ZERO_SUM if max_players == 2 else kind.Utility.GENERAL_SUM,
        reward_model=kind.RewardModel.TERMINAL,
        max_num_players=max_players,
        min_num_players=min_players,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=dict(parameters),
    )


def _game_info(game: Game) -> Any:
    return pyspiel.GameInfo(
        num_distinct_actions=len(game.actions),
        max_chance_outcomes=game.chance.max_outcomes,
        num_players=len(game.seats),
        min_utility=-game.max_reward,
        max_utility=game.max_reward,
        utility_sum=0.0 if len(game.seats) == 2 else None,
        max_game_length=game.max_decisions,
    )
