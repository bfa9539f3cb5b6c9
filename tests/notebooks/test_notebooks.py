"""The notebooks run from top to bottom, and come with what they show: pictures, and nothing that went wrong."""

import copy
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
NAMES = ["01_tour", "02_train_a_dragon", "03_compare_policies", "04_balance_lab", "05_batch_and_search"]
NAMES += ["06_learn_from_games"]
TRAINING = {"02_train_a_dragon": "stable_baselines3", "06_learn_from_games": "torch"}
LARGEST = 1_500_000
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}
PLACES = re.compile(r"(?<![\w/.:])/(?:home|root|tmp|work|Users|var|opt|usr)/|[A-Z]:\\\\|\.venv|site-packages")
WARNINGS = re.compile(r"Warning\b|Traceback")


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(notebook):
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def outputs(notebook):
    return [output for cell in code_cells(notebook) for output in cell["outputs"]]


def words(output):
    """All that can be read in an output: not the bytes of pictures."""
    data = {kind: text for kind, text in output.get("data", {}).items() if not kind.startswith("image/")}
    return json.dumps([output.get("text", ""), data], ensure_ascii=False)


def faults(notebook):
    """What a reader should not find, in a few words each."""
    shown, cells = outputs(notebook), code_cells(notebook)
    counts, said = [cell["execution_count"] for cell in cells], "\n".join(map(words, shown))
    found = {
        "not executed in order": counts != list(range(1, len(cells) + 1)),
        "an error": any(output["output_type"] == "error" for output in shown),
        "words on stderr": any(output.get("name") == "stderr" for output in shown),
        "a warning": bool(WARNINGS.search(said)),
        "a place on somebody's machine": bool(PLACES.search(said)),
        "too few pictures": sum("image/png" in output.get("data", {}) for output in shown) < 2,
        "too large": len(json.dumps(notebook)) > LARGEST,
        "metadata": notebook["metadata"] != {"kernelspec": KERNEL, "language_info": {"name": "python"}}
        or any(cell["metadata"] for cell in notebook["cells"]),
        "a long cell": any(len(cell["source"]) > 22 for cell in cells),
    }
    return [name for name, true in found.items() if true]


def test_the_notebooks_are_these():
    assert [path.stem for path in NOTEBOOKS] == NAMES


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_comes_with_what_it_shows(path):
    assert faults(read(path)) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_was_run_in_full(path):
    """What `make notebooks` writes, not a short run."""
    said = "\n".join(map(words, outputs(read(path))))
    full = {"03_compare_policies": "960 games", "04_balance_lab": "| 9 ", "05_batch_and_search": "10,000 simulations"}
    full |= {"06_learn_from_games": "3,000 games"}
    assert full.get(path.stem, "") in said
    if path.stem == "02_train_a_dragon":
        assert int(re.search(r"([\d,]+) decisions", said)[1].replace(",", "")) > 1_000_000


@pytest.mark.parametrize("name", NAMES)
def test_a_notebook_runs(name, tmp_path):
    """In a copy, with few games and little training."""
    if importlib.util.find_spec(library := TRAINING.get(name, "numpy")) is None:
        pytest.skip(f"{library} is missing: make setup installs it")
    notebook = tmp_path / f"{name}.ipynb"
    notebook.write_bytes((ROOT / "notebooks" / notebook.name).read_bytes())
    command = [sys.executable, "scripts/notebooks.py", "--short", str(notebook)]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DRAKO_NOTEBOOK")}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert faults(read(notebook)) == []


def stream(name, text):
    return {"output_type": "stream", "name": name, "text": [text]}


def plant_order(notebook):
    code_cells(notebook)[1]["execution_count"] = 7


def plant_error(notebook):
    error = {"output_type": "error", "ename": "ValueError", "evalue": "", "traceback": []}
    code_cells(notebook)[1]["outputs"] = [error]


def plant_no_pictures(notebook):
    for cell in code_cells(notebook):
        cell["outputs"] = []


PLANTED = {
    "not executed in order": plant_order,
    "an error": plant_error,
    "words on stderr": lambda notebook: code_cells(notebook)[1]["outputs"].append(stream("stderr", "compiling")),
    "a warning": lambda notebook: code_cells(notebook)[1]["outputs"].append(stream("stdout", "a UserWarning: beware")),
    "a place on somebody's machine": lambda notebook: code_cells(notebook)[1]["outputs"].append(
        stream("stdout", "see /home/me/runs")
    ),
    "too few pictures": plant_no_pictures,
    "too large": lambda notebook: code_cells(notebook)[1]["outputs"].append(stream("stdout", "x" * LARGEST)),
    "metadata": lambda notebook: notebook["metadata"].update(author="me"),
    "a long cell": lambda notebook: code_cells(notebook)[0].update(source=["pass\n"] * 40),
}


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_seen(fault):
    notebook = copy.deepcopy(read(NOTEBOOKS[0]))
    PLANTED[fault](notebook)
    assert faults(notebook) == [fault]


def test_an_error_ends_the_run_and_leaves_the_notebook_alone(tmp_path):
    notebook, path = read(NOTEBOOKS[0]), tmp_path / "wrong.ipynb"
    notebook["cells"] = code_cells(notebook)[:1]
    notebook["cells"][0]["source"] = ["1 / 0"]
    path.write_text(json.dumps(notebook), encoding="utf-8")
    before = path.read_bytes()
    done = subprocess.run([sys.executable, "scripts/notebooks.py", str(path)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 2
    assert "ZeroDivisionError" in done.stderr
    assert path.read_bytes() == before
