# Every target is complete by itself: it sets up what it needs in .venv, once, and again whenever
# pyproject.toml changes. `make help` lists the targets.

PYTHON ?= python3
JOBS   ?= auto
BOTS   ?=
GAMES  ?= 500
N      ?= 100
SEED   ?=

VENV := .venv
BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: play test check sim crash lint format clean help

play: $(VENV)/.for-play ## play against bots (BOTS=3 for three of them)
	@$(BIN)/sequoia-tui --solo $(BOTS)

test: lint ## everything that a change must pass: the linters, the types, the walls, the tests
	$(BIN)/python -m pytest -m "not long" -n $(JOBS)

check: $(VENV)/.for-test ## the long tests: whole games, real terminals, the oldest dependencies
	$(BIN)/python -m pytest -m long --timeout 1800

crash: $(VENV)/.for-test ## kill a real server while clients play (N=500 times, SEED=7)
	$(BIN)/python -m tests.crash --kills $(N) $(if $(SEED),--seed $(SEED))

sim: $(VENV)/.for-test ## whole games in a simulated world (GAMES=5000 SEED=7 for others)
	$(BIN)/python -m tests.simulation --games $(GAMES) --seed $(or $(SEED),1)

lint: $(VENV)/.for-test ## the linters, the types and the walls alone
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.for-test ## put the code in its form
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean: ## remove what these targets made
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

help: ## this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# One environment, two depths: playing needs the game's own dependencies, testing needs the tools too.
$(VENV)/.for-play: $(BIN)/python pyproject.toml
	@echo "Setting up the game in $(VENV) (once; it takes a moment) ..."
	@$(PIP) --editable .
	@touch $@

$(VENV)/.for-test: $(BIN)/python pyproject.toml
	@echo "Setting up the game and its tests in $(VENV) (once; it takes a moment) ..."
	@$(PIP) --editable ".[test]"
	@touch $(VENV)/.for-play $@

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { \
	  echo "Sequoia needs Python 3.11 or newer, and '$(PYTHON)' was not found: install it, or name one, as in 'make play PYTHON=/path/to/python3'." >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Sequoia needs Python 3.11 or newer, and '$(PYTHON)' is $$($(PYTHON) -V 2>&1): name a newer one, as in 'make play PYTHON=python3.12'." >&2; \
	  exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { \
	  echo "Sequoia needs Python's venv module, and '$(PYTHON)' comes without it: on Debian and Ubuntu 'apt install python3-venv' brings it." >&2; \
	  exit 1; }
	@$(PYTHON) -m venv --clear $(VENV)
