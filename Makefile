# Everything from a bare Python 3.11: `make train` and `make test` set up .venv by themselves.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help setup test test-slow train format playthroughs clean

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

setup: $(VENV)/.installed ## install into .venv what development needs

$(VENV)/.installed: pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once, a minute or two) ..."
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed: make PYTHON=...")'
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@$(PIP) --editable '.[dev,train]'
	@touch $@

test: setup ## lint, types, tests
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/pytest -m "not slow"

test-slow: setup ## the long comparisons: oracle, re-dealing, a hundred thousand games
	@$(BIN)/pytest -m slow

train: setup ## a match of random players (training is not there yet)
	@$(BIN)/python scripts/random_match.py

format: setup ## format and fix what can be fixed
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

playthroughs: setup ## write the golden games under tests/drako/playthroughs anew
	@$(BIN)/python -m tests.drako.playthroughs

clean: ## remove .venv and caches
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis *.egg-info
