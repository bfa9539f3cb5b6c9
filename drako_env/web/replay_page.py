"""A replay to leaf through: its positions as pages, the analysis board as one self-contained file, a film."""

import json
import os
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from drako_env.engine.game import Game
from drako_env.engine.position import Position
from drako_env.evaluation.analysis import Analyst
from drako_env.render import OPEN
from drako_env.replay import Decision, Replay, encode, positions
from drako_env.web.analysis_study import ALL, Study

STATIC = Path(__file__).parent / "static"
STYLE = '<link rel="stylesheet" href="/static/analysis.css">'
SCRIPT = '<script type="module" src="/static/analysis.js"></script>'
IMPORT = re.compile(r'^import {.*} from "\./(\w+\.js)";$', re.MULTILINE)
EXPORT = re.compile("^export ", re.MULTILINE)
SHOWN_OPINIONS = 5
Frames = Iterable[NDArray[np.uint8]]


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
    """All positions of a replay as `seat` sees them (`"all"`: every hand open), by default as the seat that decides
    does. `ReplayError` at the line that breaks the rules."""
    game = replay.make_game()
    _check_seat(game, seat)
    decisions = [*replay.decisions, None]
    for position, decision in zip(positions(replay, game), decisions, strict=True):
        yield _page(position, decision, seat)


def _check_seat(game: Game, seat: str | None) -> None:
    if seat not in (None, ALL, *game.seats):
        raise ValueError(f"seat {seat!r}: expected one of {', '.join(game.seats)}, {ALL}")


def _page(position: Position, decision: Decision | None, seat: str | None) -> Page:
    game, deciding = position.game, None if position.over else position.agent
    viewers = {None: deciding, ALL: OPEN} | {name: number for number, name in enumerate(game.seats)}
    scene = game.scene(position.state, viewers[seat])
    text = (game.picture(scene), game.text(scene))
    if decision is None:
        return Page("", game.outcome(position.state)[0], [], *text)
    total = sum(opinion.weight for opinion in decision.opinions) or 1.0
    best = [(_words(game, o.action), o.weight / total) for o in decision.opinions[:SHOWN_OPINIONS]]
    return Page(decision.agent, _words(game, decision.action), best, *text)


def _words(game: Game, action: dict[str, Any]) -> str:
    return game.action_text(game.actions.index(action))


def html(
    replay: Replay,
    seat: str | None = None,
    analyst: Analyst | None = None,
    done: Callable[[int], None] = lambda number: None,
) -> str:
    """The analysis board with the whole game in one file that needs nothing else; `seat` is whose eyes it opens with.
    Without an analyst it shows no opinions but those that were recorded; `done` is told every decision it has
    thought about."""
    study = Study.of_replay(replay)
    _check_seat(study.game, seat)
    data = study.data(analyst) | {"replay": encode(replay).decode()}
    for number in range(len(study.actions) if analyst else 0):
        data["decisions"][number] |= study.search(number, analyst) if analyst else {}
        done(number)
    views = data["views"]
    data["views"] = {name: views[name] for name in sorted(views, key=lambda name: name != (seat or ALL))}
    return _in_one(json.dumps(data, separators=(",", ":")))


def _in_one(data: str) -> str:
    """The page with its parts and its data inside; nothing in the data can end the element that holds it."""
    page, style, script = ((STATIC / f"analysis.{kind}").read_text(encoding="utf-8") for kind in ("html", "css", "js"))
    script = IMPORT.sub(lambda found: _inlined(found[1]), script)
    held = data.replace("<", "\\u003c")
    page = page.replace(STYLE, f"<style>\n{style}</style>")
    return page.replace(
        SCRIPT, f'<script id="data" type="application/json">{held}</script>\n<script type="module">\n{script}</script>'
    )


def _inlined(name: str) -> str:
    """A module as a part of the script that imports it."""
    return EXPORT.sub("", (STATIC / name).read_text(encoding="utf-8"))


def film(replay: Replay, path: Path, seat: str | None = None, width: int = 720, seconds: float = 1.0) -> None:
    """An animated GIF, or an MP4 if `path` ends so. What is missing for it is said before anything is drawn."""
    write = film_writer(path)
    from drako_env.render.raster import pixels

    write((pixels(page.picture, width) for page in pages(replay, seat)), path, seconds)


def film_writer(path: Path) -> Callable[[Frames, Path, float], None]:
    """What writes a film of this name; an error if something that it needs is missing."""
    if path.suffix not in (".gif", ".mp4"):
        raise ValueError(f"{path}: a film's name ends in .gif or .mp4")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise FileNotFoundError(f"{path}: there is no folder {path.parent} to write to")
    if missing := [name for name in ("resvg_py", "PIL") if find_spec(name) is None]:
        raise ImportError(f"a film needs {missing[0]}, which is not installed: pip install 'drako-env[film]'")
    return _write_gif if path.suffix == ".gif" else _mp4_writer()


def _write_gif(frames: Frames, path: Path, seconds: float) -> None:
    from PIL import Image

    pictures = [Image.fromarray(frame).quantize(128) for frame in frames]
    pictures[0].save(path, save_all=True, append_images=pictures[1:], duration=int(1000 * seconds), loop=0)


def _mp4_writer() -> Callable[[Frames, Path, float], None]:
    try:
        import imageio_ffmpeg

        imageio_ffmpeg.get_ffmpeg_exe()
    except (ImportError, RuntimeError) as error:
        raise ImportError("an MP4 needs imageio-ffmpeg and its ffmpeg: pip install 'drako-env[film]'") from error

    def write(frames: Frames, path: Path, seconds: float) -> None:
        writer = None
        for frame in frames:
            height, width = (size - size % 2 for size in frame.shape[:2])
            if writer is None:
                options = {"fps": 1 / seconds, "macro_block_size": 2}
                writer = imageio_ffmpeg.write_frames(str(path), (width, height), **options)
                writer.send(None)
            writer.send(np.ascontiguousarray(frame[:height, :width]))
        if writer is not None:
            writer.close()

    return write
