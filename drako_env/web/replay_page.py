"""A replay to leaf through: its positions as pages, one self-contained HTML file, a film."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game
from drako_env.engine.position import Position
from drako_env.replay import Decision, Replay, positions

TEMPLATE = Path(__file__).parent / "replay_page.html"
SHOWN_OPINIONS = 5


@dataclass(frozen=True)
class Page:
    """A position, what is decided in it, and what the agent thought."""

    seat: str
    """Who decides; empty at the end."""
    decision: str
    opinions: list[tuple[str, float]]
    """The best actions with their shares of all visits or probabilities."""
    picture: str
    text: str


def pages(replay: Replay, seat: str | None = None) -> Iterator[Page]:
    """All positions of a replay as `seat` sees them, by default as the seat that decides does. `ReplayError` at the
    line that breaks the rules."""
    game = replay.make_game()
    if seat is not None and seat not in game.seats:
        raise ValueError(f"seat {seat!r}: expected one of {', '.join(game.seats)}")
    decisions = [*replay.decisions, None]
    for position, decision in zip(positions(replay, game), decisions, strict=True):
        yield _page(position, decision, seat)


def _page(position: Position, decision: Decision | None, seat: str | None) -> Page:
    game, deciding = position.game, None if position.over else position.agent
    scene = game.scene(position.state, deciding if seat is None else game.seats.index(seat))
    text = (game.picture(scene), game.text(scene))
    if decision is None:
        return Page("", game.outcome(position.state)[0], [], *text)
    total = sum(opinion.weight for opinion in decision.opinions) or 1.0
    best = [(_words(game, o.action), o.weight / total) for o in decision.opinions[:SHOWN_OPINIONS]]
    return Page(decision.agent, _words(game, decision.action), best, *text)


def _words(game: Game, action: dict[str, Any]) -> str:
    return game.action_text(game.actions.index(action))


def html(replay: Replay, seat: str | None = None) -> str:
    """One page with all pictures, a slider and keys; it needs nothing else."""
    leaves = [asdict(page) for page in pages(replay, seat)]
    content = {"title": replay.header.game, "players": replay.header.seats, "pages": leaves}
    data = json.dumps(content).replace("<", "\\u003c")
    return TEMPLATE.read_text(encoding="utf-8").replace("/*DATA*/null", data)


def film(replay: Replay, path: Path, seat: str | None = None, width: int = 720, seconds: float = 1.0) -> None:
    """An animated GIF, or an MP4 if `path` ends so."""
    from drako_env.render.raster import pixels

    frames = [pixels(page.picture, width) for page in pages(replay, seat)]
    if path.suffix == ".mp4":
        _write_mp4(frames, path, seconds)
    else:
        _write_gif(frames, path, seconds)


def _write_gif(frames: list[NDArray[np.uint8]], path: Path, seconds: float) -> None:
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("a GIF needs Pillow: pip install 'drako-env[film]'") from error
    pictures = [Image.fromarray(frame).quantize(128) for frame in frames]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=int(1000 * seconds), loop=0)


def _write_mp4(frames: list[NDArray[np.uint8]], path: Path, seconds: float) -> None:
    try:
        import imageio_ffmpeg
    except ImportError as error:
        raise ImportError("an MP4 needs imageio-ffmpeg: pip install 'drako-env[film]'") from error
    height, width = (size - size % 2 for size in frames[0].shape[:2])
    writer = imageio_ffmpeg.write_frames(str(path), (width, height), fps=1 / seconds, macro_block_size=2)
    writer.send(None)
    for frame in frames:
        writer.send(np.ascontiguousarray(frame[:height, :width]))
    writer.close()
