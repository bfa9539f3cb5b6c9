"""Run the notebooks from top to bottom and keep what they show.

python scripts/notebooks.py                                  # all of them, in place (or: make notebooks)
python scripts/notebooks.py --short --out runs/notebooks     # just enough to see that everything works
python scripts/notebooks.py notebooks/01_tour.ipynb
"""

import argparse
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from drako_env.cli.options import fail
from drako_env.engine.game import role_of, sides
from drako_env.envs.batch import GameBatch
from drako_env.envs.selfplay import SelfPlay
from drako_env.games import GAMES, make_game
from drako_env.players import make_player, prepare_players
from drako_env.players.policy import PolicyAgent

FOLDER = Path(__file__).parent.parent / "notebooks"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LONGEST_CELL = 3600


def compile_kernels() -> None:
    """What a first start would announce in the midst of a notebook, and take time for where speed is measured."""
    for name in GAMES:
        prepare_players(make_game(name))
        GameBatch(make_game(name), 1, seed=0).play("random")
    game = make_game("drako")
    policy = make_player("policy", game)
    assert isinstance(policy, PolicyAgent)
    SelfPlay(game, 1, 1, seed=0).collect([policy.policy(role_of(side)).tensors for side in sides(game)])


def executed(path: Path) -> nbformat.NotebookNode:
    """The notebook with new outputs, and nothing about this machine in its metadata."""
    notebook = nbformat.read(path, 4)
    client = NotebookClient(notebook, kernel_name=KERNEL["name"], timeout=LONGEST_CELL, record_timing=False)
    client.execute(cwd=str(path.parent.resolve()), transport_encryption="auto")
    notebook.metadata = nbformat.from_dict({"kernelspec": KERNEL, "language_info": {"name": "python"}})
    for cell in notebook.cells:
        cell.metadata = nbformat.from_dict({})
    return notebook


def main() -> int:
    """Run, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all of them")
    parser.add_argument("--out", type=Path, help="a folder for the results (default: in place)")
    parser.add_argument("--short", action="store_true", help="few games, little training (DRAKO_NOTEBOOK_SHORT=1)")
    options = parser.parse_args()
    if options.short:
        os.environ["DRAKO_NOTEBOOK_SHORT"] = "1"
    compile_kernels()
    for path in options.notebooks or sorted(FOLDER.glob("*.ipynb")):
        start = time.perf_counter()
        target = (options.out or path.parent) / path.name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            nbformat.write(executed(path), target)
        except (OSError, CellExecutionError, nbformat.reader.NotJSONError) as error:
            return fail("notebooks", error)
        print(f"{target}: {time.perf_counter() - start:.0f} s", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
