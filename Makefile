# Everything from a bare Python 3.11: `make train` and `make test` set up .venv by themselves.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
MINUTES ?= 5
MUTANTS ?= 300
PORT ?= 8000
SHELL := bash
.SHELLFLAGS := -o pipefail -c
# quiet but for errors; what pip logs becomes one line that tells where it stands
PIP = $(BIN)/python -m pip --disable-pip-version-check install -qq --log /dev/stdout --constraint constraints.txt
PROGRESS = 2> >(grep -v ^WARNING >&2) | awk '/ (Collecting|Requirement already satisfied:?) / {sub(/already satisfied:?/, ""); step = ++n ". " $$3} \
	/ Installing collected / {step = "installing " NF - 4 " packages ..."} \
	/ (Collecting|Requirement|Installing) / {printf "\r%-60.60s", "  " step; fflush()} END {printf "\r%-60s\r", ""}'
NEW_VENV = $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=...")' \
	&& { test -d $(VENV) || $(PYTHON) -m venv $(VENV); }

.DEFAULT_GOAL := help
.PHONY: help setup test test-slow test-speed mutate train play bench docs notebooks dist format playthroughs pictures clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(VENV)/.installed ## install into .venv what development needs

$(VENV)/.installed: pyproject.toml constraints.txt
	@echo "Setting up $(VENV) for development (once, some minutes) ..."
	@$(NEW_VENV)
	@$(PIP) --editable '.[dev,train]' $(PROGRESS)
	@$(BIN)/python -m compileall -q drako_env agents
	@touch $@ $(VENV)/.players

$(VENV)/.players: pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once, a minute or two) ..."
	@$(NEW_VENV)
	@$(PIP) --editable '.[train,pictures,web]' $(PROGRESS)
	@$(BIN)/python -m compileall -q drako_env agents
	@touch $@

test: setup ## lint, types, tests (OPTIONS for pytest: "--random-order --chance 7")
	@$(BIN)/python -m compileall -q drako_env # for the start-up time, where Python may not write bytecode by itself
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@printf '%s\n' drako golden_dragon | xargs -P 2 -n 1 $(BIN)/python -m drako_env compile
	@$(BIN)/pytest -m "not slow and not timing" -n auto --maxprocesses 4 --dist loadgroup $(OPTIONS)

test-slow: setup ## the long comparisons: oracle, re-dealing, a hundred thousand games
	@$(BIN)/pytest -m slow

test-speed: setup ## how fast, as ratios measured side by side; on a quiet machine
	@$(BIN)/pytest -m timing -s

mutate: setup ## change rules, engine and search in MUTANTS=300 small ways: does a test notice?
	@$(BIN)/python scripts/mutate.py --mutants $(MUTANTS) --resume --at-least 95

train: $(VENV)/.players ## train both sides by self-play for MINUTES=5, evaluate, show the result
	@$(BIN)/python scripts/train.py --minutes $(MINUTES)

play: $(VENV)/.players ## a page to play on, in the browser (PORT=8000)
	@$(BIN)/python scripts/play.py --web --port $(PORT)

bench: .venv-bench/.installed ## how fast, against pgx, OpenSpiel and PettingZoo (in an environment of its own)
	@.venv-bench/bin/python scripts/benchmark.py

.venv-bench/.installed: pyproject.toml constraints.txt
	@echo "Setting up .venv-bench with the peers (once, a few minutes) ..."
	@test -d .venv-bench || $(PYTHON) -m venv .venv-bench
	@$(PIP:$(BIN)/%=.venv-bench/bin/%) --editable '.[train,bench]' $(PROGRESS)
	@touch $@

docs: $(VENV)/.docs ## the documentation, into runs/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file notebooks/mkdocs.yml

$(VENV)/.docs: pyproject.toml constraints.txt
	@echo "Setting up $(VENV) for the documentation (once) ..."
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@$(PIP) --editable '.[docs]' $(PROGRESS)
	@touch $@

notebooks: setup ## run all notebooks, with their pictures and figures, in place (MINUTES=5 of training)
	@DRAKO_NOTEBOOK_MINUTES=$(MINUTES) $(BIN)/python scripts/notebooks.py

dist: setup ## the wheel and the sources into dist/, checked as PyPI would
	@$(PIP) --editable '.[release]' $(PROGRESS)
	@rm -rf dist build
	@$(BIN)/python -m build --quiet .
	@$(BIN)/twine check --strict dist/*

format: setup ## format and fix what can be fixed
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

playthroughs: setup ## write the golden games under tests/*/playthroughs anew
	@$(BIN)/python -m tests.playthroughs

pictures: setup ## write the golden pictures under tests/render/pictures anew
	@$(BIN)/python -m tests.render.pictures
	@$(BIN)/python -m tests.web.browsing

clean: ## remove .venv and caches
	rm -rf $(VENV) .venv-bench .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
