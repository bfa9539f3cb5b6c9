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

from drako_env.cli.compile import compile_game
from drako_env.cli.options import fail
from drako_env.games import GAMES, make_game

FOLDER = Path(__file__).parent.parent / "notebooks"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
LONGEST_CELL = 3600


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
    for name in GAMES:  # a first start would announce itself in the midst of a notebook
        compile_game(make_game(name))
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
