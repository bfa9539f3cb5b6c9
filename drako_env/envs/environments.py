"""One way to make each kind of environment, for every game."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pettingzoo import AECEnv

from drako_env.engine.game import Game
from drako_env.envs.aec import GameEnv, Observation, wrap
from drako_env.envs.batch import GameBatch
from drako_env.envs.seat import Opponent, SeatGames

if TYPE_CHECKING:
    from gymnasium.vector import AutoresetMode

    from drako_env.envs.gym import SeatEnv, SeatVectorEnv
    from drako_env.envs.sb3 import SeatVecEnv


class Environments:
    """The environments of one game. `rules` names its rules table (see the game's module), and `options` are those of
    its `RULES.md`."""

    def __init__(self, make: Callable[..., Game]) -> None:
        self._make = make

    def _game(self, rules: Any, options: dict[str, Any]) -> Game:
        """`rules`, the game's own default if none are given, and its options."""
        return self._make(**options) if rules is None else self._make(rules=rules, **options)

    def raw_env(
        self,
        render_mode: str | None = None,
        rules: Any = None,
        render_seat: str | None = None,
        normalized: bool = False,
        **options: Any,
    ) -> GameEnv:
        """The game without PettingZoo's wrappers: an illegal action raises `ValueError` and changes nothing."""
        return GameEnv(self._game(rules, options), render_mode, render_seat, normalized)

    def env(
        self,
        render_mode: str | None = None,
        rules: Any = None,
        render_seat: str | None = None,
        normalized: bool = False,
        **options: Any,
    ) -> AECEnv[str, Observation, int | None]:
        """The game in PettingZoo's standard wrappers. With `normalized` observations are float32 from 0 to 1."""
        return wrap(self.raw_env(render_mode, rules, render_seat, normalized, **options))

    def batch_env(
        self,
        num_games: int,
        seed: int | None = None,
        rules: Any = None,
        observe: bool = True,
        normalized: bool = False,
        **options: Any,
    ) -> GameBatch:
        """Many games at once, as arrays. With `normalized` observations are float32 from 0 to 1."""
        return GameBatch(self._game(rules, options), num_games, seed, observe, normalized)

    def sb3_env(
        self,
        num_envs: int,
        seat: str | None = None,
        opponent: Opponent = "random",
        seed: int | None = None,
        rules: Any = None,
        canonical: bool = False,
        render_mode: str | None = None,
        illegal: str = "raise",
        normalized: bool = False,
        **options: Any,
    ) -> "SeatVecEnv":
        """One seat (by default the first) in many games as a Stable-Baselines3 `VecEnv`. Named by a role that several
        seats share (`"player"`), the learner sits on each of them in turn.

        `opponent`: the name of a player (`drako_env.players`), a batched policy `(observation (n, D), action_mask
        (n, A)) -> actions (n,)`, an agent, a list of `(weight, opponent)`, or `{name: (weight, opponent)}`. With
        `canonical` positions that differ only in how the board lies are shown as one.

        `illegal`: what becomes of an illegal action: `"raise"` refuses it with a `ValueError`; for algorithms without
        masks (DQN, A2C, PPO) it can `"lose"` the game, or a `"random"` legal action is played in its place. With
        `normalized` observations are float32 from 0 to 1, counts divided by what they can be at most; opponents see
        the game's own all the same.

        Without a `seed` the deals are new ones every time, as in every other door; with one a training run can be
        repeated. Give whatever evaluates it another one."""
        from drako_env.envs.sb3 import SeatVecEnv

        game = self._game(rules, options)
        return SeatVecEnv(SeatGames(game, num_envs, seat, opponent, seed, canonical, illegal, normalized), render_mode)

    def gym_env(
        self,
        seat: str | None = None,
        opponent: Opponent = "random",
        render_mode: str | None = None,
        rules: Any = None,
        canonical: bool = False,
        illegal: str = "raise",
        normalized: bool = False,
        **options: Any,
    ) -> "SeatEnv":
        """One seat (by default the first) against an opponent as a Gymnasium environment; see `sb3_env`."""
        from drako_env.envs.gym import SeatEnv

        game = self._game(rules, options)
        return SeatEnv(SeatGames(game, 1, seat, opponent, None, canonical, illegal, normalized), render_mode)

    def gym_vector_env(
        self,
        num_envs: int,
        seat: str | None = None,
        opponent: Opponent = "random",
        rules: Any = None,
        canonical: bool = False,
        render_mode: str | None = None,
        autoreset_mode: "AutoresetMode | str" = "SameStep",
        illegal: str = "raise",
        normalized: bool = False,
        **options: Any,
    ) -> "SeatVectorEnv":
        """One seat (by default the first) in many games as a Gymnasium `VectorEnv`; see `sb3_env`, and `SeatVectorEnv`
        for what becomes of games that have ended (`autoreset_mode`)."""
        from drako_env.envs.gym import SeatVectorEnv

        game = self._game(rules, options)
        games = SeatGames(game, num_envs, seat, opponent, None, canonical, illegal, normalized)
        return SeatVectorEnv(games, render_mode, autoreset_mode)
