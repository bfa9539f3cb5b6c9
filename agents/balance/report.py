"""What a search found, as Markdown."""

from collections.abc import Sequence
from pathlib import Path

from agents.balance.candidates import START, Candidate, Log, score
from agents.balance.mirrors import Mirror
from agents.balance.settings import LEVELS, Settings
from agents.balance.tables import change
from agents.exploit.games import Figure
from agents.exploit.measure import in_words
from drako_env.evaluation.report import share, table


def results(log: Log, reported: dict[str, Mirror], settings: Settings, seat: str, folder: Path) -> str:
    """All judged candidates, and the winner in games that chose nothing."""
    best, start = log.best(), log.candidates[START]
    rows = [row(candidate, settings) for candidate in log.judged()]
    again = row(Candidate(best.number, best.step, best.table, change(start.table, best.table), reported), settings)
    notes = [
        f"{len(rows)} of {len(log.candidates)} candidates were judged by strong play.",
        "A score is lower the more even a table is; so far: without the searches,",
        "which play only for what would be accepted without them.",
    ]
    parts = [f"# Balance: {len(rows) - 1} changes of {start.table['name']} judged", _table(seat, settings, rows)]
    parts += [" ".join(notes), "## Best table"]
    parts += ["All changes, and games that had no part in choosing it:", _table(seat, settings, [again])]
    parts += [f"The table: `--set rules={folder}/best.toml`; its policies: `policy:{folder}/policies`."]
    return "\n\n".join(parts) + "\n"


def _table(seat: str, settings: Settings, rows: Sequence[Sequence[str]]) -> str:
    names = ("heuristic", "learnt", f"puct:{settings.simulations}")
    levels = [column for name in names for column in (f"{name}: {seat} wins (95%)", "kills (95%)")]
    return table(["number", "step", "change", *levels, "score", "accepted"], rows)


def row(candidate: Candidate, settings: Settings) -> list[str]:
    """A candidate in the table."""
    cells = [cell for level in LEVELS for cell in _cells(candidate.mirrors.get(level))]
    accepted = {True: "yes", False: "no", None: ""}[candidate.accepted]
    total = f"{100 * score(candidate.mirrors, settings.weights):.1f}" + (
        "" if "puct" in candidate.mirrors else " so far"
    )
    return [str(candidate.number), str(candidate.step), candidate.change, *cells, total, accepted]


def _cells(mirror: Mirror | None) -> list[str]:
    if mirror is None:
        return ["", ""]
    return [in_words(Figure(rate, mirror.games)) for rate in (mirror.rate, mirror.killed)]


def line(candidate: Candidate) -> str:
    """A judged candidate in few words."""
    rates = [
        f"{level} {share(mirror.rate)} kills {share(mirror.killed)}" for level, mirror in candidate.mirrors.items()
    ]
    return f"{'accepted' if candidate.accepted else 'refused'}  {candidate.change}  {', '.join(rates)}"
