"""The documentation: every public name is documented, every figure is the code's, every link leads somewhere."""

import importlib
import importlib.util
import inspect
import os
import pydoc
import re
import runpy
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest

import drako_env
from drako_env.drako.rules import OPTIONS as DRAKO_OPTIONS
from drako_env.envs.batch import GameBatch
from drako_env.envs.environments import Environments
from drako_env.envs.registration import gymnasium_id
from drako_env.games import make_game
from drako_env.golden_dragon.rules import OPTIONS as BOARD_OPTIONS
from drako_env.players import KNOWN
from notebooks.mkdocs_hooks import SHARED, relinked
from tests.every_game import MODULES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "notebooks" / "docs"

MEMBERS = {
    "drako_env.envs.environments.Environments": "env raw_env batch_env sb3_env gym_env gym_vector_env",
    "drako_env.envs.aec.GameEnv": "observe view reset step render observation_fields observation_space action_space "
    "state_dict load_state_dict action_dict action_id",
    "drako_env.envs.batch.GameBatch": "step sample reset save load best play collect view num_games observation_fields",
    "drako_env.envs.selfplay.SelfPlay": "collect",
    "drako_env.envs.sb3.SeatVecEnv": "reset step_async step_wait env_method action_masks set_opponent",
    "drako_env.envs.gym.SeatEnv": "reset step render action_masks set_opponent",
    "drako_env.envs.gym.SeatVectorEnv": "reset step action_masks set_opponent",
    "drako_env.envs.rllib.BatchEnvRunner": "sample collect set_opponents take_results get_state set_state",
    "drako_env.envs.rllib.MaskedModule": "compute_values judge",
    "drako_env.envs.openspiel.SpielGame": "new_initial_state make_py_observer",
    "drako_env.envs.openspiel.SpielState": "resample_from_infostate",
    "drako_env.replay": "save load verify record encode positions Replay ReplayError",
    "drako_env.testing": "check_seat_returns gym_loop check_batch_returns check_seat_env Checked",
    "drako_env.evaluation.report": "summarise markdown heat_map",
    "drako_env.dataset": "load record header_of Dataset",
    "drako_env.drako.rules.Rules": "load table",
    "drako_env.golden_dragon.rules.Rules": "load table",
}
LIBRARIES = {".sb3.": "stable_baselines3", ".rllib.": "ray", ".openspiel.": "pyspiel"}
PUBLIC = [f"{home}.{name}" for home, names in MEMBERS.items() for name in names.split()]
WHOLE_MODULES = ("drako_env.replay", "drako_env.testing", "drako_env.evaluation.report", "drako_env.dataset")
PUBLIC += [home for home in MEMBERS if home not in WHOLE_MODULES]
ARRAYS = ("observation", "action_mask", "agent", "reward", "done", "seeds")


def page(name):
    return (DOCS / name).read_text(encoding="utf-8")


def cells(text):
    """The rows of all tables, without their code marks."""
    rows = [line.strip()[1:-1].split("|") for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip().strip("`") for cell in row] for row in rows]


def directives():
    """Every name that a page takes docstrings from, with its members or without."""
    for path in DOCS.rglob("*.md"):
        for name, options in re.findall(r"^::: (\S+)((?:\n    .*)*)", path.read_text(encoding="utf-8"), re.MULTILINE):
            yield name, "members: false" not in options


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_a_docstring_and_a_page(name):
    assert any(name == shown or (members and name.startswith(f"{shown}.")) for shown, members in directives())
    for part, library in LIBRARIES.items():
        if part in name:
            pytest.importorskip(library, reason=f"{library} is missing: make setup installs it")
    documented = pydoc.locate(name)
    assert documented is not None, "there is no such name"
    assert documented.__doc__


@pytest.mark.parametrize("module", MODULES.values(), ids=MODULES)
def test_the_doors_of_a_game_are_the_documented_ones(module):
    for name in module.__all__:
        if name != "Rules":
            assert getattr(module, name).__func__ is getattr(Environments, name)
        assert f"`{name}`" in page("reference/functions.md")
    assert f"`{module.__name__.split('.')[-1]}.Rules`" in page("reference/rules.md")


def test_the_arrays_of_a_batch_are_listed():
    batch, listed = (
        MODULES["drako"].batch_env(3, seed=0),
        {row[0]: row[1] for row in cells(inspect.getdoc(GameBatch))[2:]},
    )
    assert tuple(listed) == ARRAYS
    sizes = {"N": 3, "D": 320, "A": 222, "S": 2}
    for name, described in listed.items():
        letters, kind = described.rsplit(" ", 1)
        array = getattr(batch, name)
        assert (array.shape, array.dtype) == (tuple(sizes[x] for x in re.findall("[NDAS]", letters)), kind)


@pytest.mark.parametrize(("name", "heading"), [("drako", "### Drako"), ("golden_dragon", "### Golden Dragon")])
def test_the_keys_of_a_position_are_listed(name, heading):
    raw = MODULES[name].raw_env()
    raw.reset(seed=0)
    section = page("reference/pettingzoo.md").split(heading)[1].split("The actions are listed")[0]
    listed = [key for row in cells(section)[2:] for key in row[0].replace("`", "").split(", ")]
    assert sorted(listed) == sorted(raw.state_dict())


def test_ids_and_players_are_listed():
    assert [row[0] for row in cells(page("reference/gymnasium.md").split("```")[0])[2:]] == [
        gymnasium_id(name) for name in MODULES
    ]
    players = page("guides/evaluation.md").split("## Matches")[0]
    assert [row[0] for row in cells(players)[2:]] == list(KNOWN)


@pytest.mark.parametrize("name", MODULES)
def test_the_figures_of_an_environment(name):
    game, rows = make_game(name), {row[0]: row[1] for row in cells(page(f"environments/{name}.md")) if len(row) > 1}
    assert rows["Import"] == f"from drako_env import {name}_v0"
    assert rows["Agents"] == f"agents = {list(game.seats)}".replace("'", '"')
    assert rows["Number of Agents"].startswith(str(len(game.seats)))
    assert rows["Action Shape"] == f"Discrete({len(game.actions)})"
    assert rows["Action Values"] == f"0` to `{len(game.actions) - 1}"
    assert rows["Observation Shape"] == f"({len(game.observation_high)},)"
    assert rows["Observation Values"] == f"0` to `{game.observation_high.max()}`, int8"
    assert rows["Gymnasium id"] == gymnasium_id(name)


@pytest.mark.parametrize("name", ["drako", "golden_dragon"])
def test_the_actions_of_an_environment(name):
    section = page(f"environments/{name}.md").split("## Action space")[1].split("## Rewards")[0]
    described = [(ids, kind, keys.replace("`", "")) for ids, kind, keys, _ in cells(section)[2:]]
    expected, first = [], 0
    for kind, group in groupby(make_game(name).actions, key=lambda action: action["type"]):
        actions = list(group)
        last = first + len(actions) - 1
        keys = ", ".join(key for key in actions[0] if key != "type")
        expected.append((f"{first}" if first == last else f"{first} to {last}", kind, keys))
        first = last + 1
    assert described == expected


@pytest.mark.parametrize(
    ("name", "options", "default_rules"),
    [("drako", DRAKO_OPTIONS, {"rules": "reconstructed"}), ("golden_dragon", BOARD_OPTIONS, {"board": "classic10"})],
)
def test_the_arguments_of_an_environment(name, options, default_rules):
    module = MODULES[name]
    rules = module.Rules.load()
    expected = {
        "render_mode": None,
        "render_seat": None,
        "normalized": False,
        **default_rules,
        **{key: getattr(rules, key) for key in options},
    }
    section = page(f"environments/{name}.md").split("## Arguments")[1]
    described = {row[0]: row[1] for row in cells(section)[2:]}
    assert described == {key: repr(value).replace("'", '"') for key, value in expected.items()}
    call = re.search(r"env\((.*?)\)\n", section, re.DOTALL)[1]
    assert set(re.findall(r"(\w+)=", call)) == set(expected)
    module.env(**eval(f"dict({call})"))


def test_the_sizes_by_number_of_players():
    rows = [row for row in cells(page("environments/golden_dragon.md")) if len(row) == 5 and row[0].isdigit()]
    assert [int(row[0]) for row in rows] == [2, 3, 4, 5, 4, 5]
    for i, row in enumerate(rows):
        game = make_game("golden_dragon", num_players=int(row[0]), **({} if i < 4 else {"board": "auto"}))
        board = game.rules_table()
        enterable = sum(mark not in " x" for line in board["rows"] for mark in line)
        sizes = f"({len(game.observation_high)},)", f"Discrete({len(game.actions)})"
        assert row[1:] == [board["name"], str(enterable), *sizes]


@pytest.mark.parametrize(("name", "options"), [("drako", {}), ("golden_dragon", {"num_players": 3})])
def test_the_fields_of_the_observation(name, options):
    """The tables stand in the docstrings of the modules that write the observation, and the pages show them."""
    module = f"drako_env.{name}.observe"
    assert f"::: {module}" in page(f"environments/{name}.md")
    game, known = make_game(name, **options), {"P": 3, "C": 74}
    fields = {field: part.stop - part.start for field, part in game.observation_fields.items()}
    described = {}
    for field, size, _ in cells(importlib.import_module(module).__doc__)[2:]:
        in_brackets = re.search(r"\((\d+)\)", size)
        factors = [in_brackets[1]] if in_brackets else size.split(" * ")
        described[field] = 1
        for factor in factors:
            described[field] *= known[factor] if factor in known else int(factor)
    assert described == fields


EXAMPLES = ["index", *(f"environments/{name}" for name in ("drako", "golden_dragon"))]
EXAMPLES += [
    f"reference/{name}"
    for name in ("pettingzoo", "batch", "gymnasium", "rllib", "openspiel", "rules", "agents", "training")
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_run(name):
    pytest.importorskip(LIBRARIES.get(f".{name.partition('/')[2]}.", "numpy"))
    (example,) = re.findall(r"^```python\n(from .*?|import .*?)^```", page(f"{name}.md"), re.MULTILINE | re.DOTALL)
    exec(example, {})


def markdown_files():
    folders = ("drako_env", "agents", "scripts", "tests", "notebooks")
    found = [path for folder in folders for path in (ROOT / folder).rglob("*.md")]
    return sorted([*ROOT.glob("*.md"), *found])


def prose(text):
    """Without code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^( *)```.*?^\1```", "", text, flags=re.MULTILINE | re.DOTALL))


def anchors(text):
    """As GitHub and as the documentation write them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()).strip() for heading in headings]
    return {heading.replace(" ", "-") for heading in plain} | {re.sub(r"[-\s]+", "-", heading) for heading in plain}


def broken_links(text, path):
    """The links inside the project that lead nowhere."""
    for target in re.findall(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\)", prose(text)):
        if not re.match(r"[a-z]+:", target) and not leads_somewhere(target, text, path):
            yield target


def leads_somewhere(target, text, path):
    name, _, anchor = target.partition("#")
    found = place(name, path) if name else path
    if found is None or not found.exists():
        return False
    return not anchor or anchor in anchors(found.read_text(encoding="utf-8") if name else text)


def place(name, path):
    """What a link of a page means; `None` if that lies outside. Pages of the documentation see no other files."""
    found = Path(os.path.normpath(path.parent / name))
    if path.is_relative_to(DOCS):
        if not found.is_relative_to(DOCS):
            return None
        shared = SHARED.get(found.relative_to(DOCS).as_posix())
        return ROOT / shared if shared else found
    return found if found.is_relative_to(ROOT) else None


@pytest.mark.parametrize("path", markdown_files(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    assert list(broken_links(path.read_text(encoding="utf-8"), path)) == []


@pytest.mark.parametrize("link", ["nowhere.md", "CHANGELOG.md#9-9-9", "../elsewhere.md", "#no-such-heading"])
def test_a_broken_link_is_seen(link):
    text = f"# Title\n\n[good](CHANGELOG.md), [good](#title), [elsewhere](https://example.org), [bad]({link})\n"
    assert list(broken_links(text, ROOT / "README.md")) == [link]


def test_the_description_on_pypi_leads_nowhere_but_to_addresses(monkeypatch):
    """There the README stands alone: words of links into the repository stay, and nothing else is lost."""
    monkeypatch.setattr("setuptools.setup", lambda **given: asked.update(given))
    asked = {}
    runpy.run_path(str(ROOT / "setup.py"))
    described, readme = asked["long_description"], (ROOT / "README.md").read_text(encoding="utf-8")
    assert [target for target in re.findall(r"\]\(([^)]*)\)", prose(described)) if ":" not in target] == []
    assert "| know an environment      | Drako, Golden Dragon, Icarius |" in described
    assert described.count("```") == readme.count("```")
    assert len(described.splitlines()) > len(readme.splitlines()) - 10
    assert asked["long_description_content_type"] == "text/markdown"


def test_links_of_shared_pages():
    text = "[rules](drako_env/drako/RULES.md#balance), [code](drako_env/replay.py), [web](https://example.org)"
    expected = "[rules](../rules/drako.md#balance), code, [web](https://example.org)"
    assert relinked(text, "guides/contributing.md") == expected


def test_the_site_builds_without_warnings(tmp_path):
    if not all(importlib.util.find_spec(name) for name in ("mkdocs", "material", "mkdocstrings_handlers")):
        pytest.skip("mkdocs is missing: make docs installs it")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    done = subprocess.run(
        [*command, "--config-file", "notebooks/mkdocs.yml"],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    said = done.stdout + done.stderr  # never --quiet: it hides the warnings from --strict too
    assert done.returncode == 0, said
    assert "WARNING" not in said
    site = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.html"))
    assert [name for name in PUBLIC if f'id="{name}"' not in site] == []
    assert re.findall(r'(?:src|rel="stylesheet" href)="(https?:[^"]*)', site) == [], "fetched from elsewhere"


def test_the_citation_names_this_version():
    lines = (ROOT / "CITATION.cff").read_text(encoding="utf-8").splitlines()
    assert {"cff-version: 1.2.0", "title: drako-env", "license: MIT", f"version: {drako_env.__version__}"} <= set(lines)
