# make verify       derive, simulate and observe the theory; prints where the report is
# make test         ruff, pyright and pytest
# make seeded-bugs  which of a list of mistakes the tests notice
# make benchmarks   speed, memory and accuracy against named peers and limits; on an idle machine
# make install      the environment of all, .venv; runs again only when pyproject.toml or constraints.txt changed

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PEERS := $(VENV)/.peers
PARALLEL := --numprocesses auto --maxprocesses 4 --dist worksteal

.PHONY: verify test thorough seeded-bugs benchmarks install format clean

verify: $(STAMP)
	$(BIN)/manifoldtheory verify

test: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/pytest -m "not thorough" $(PARALLEL)

thorough: $(STAMP)
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest $(PARALLEL)

seeded-bugs: $(STAMP)
	$(BIN)/python -m tests.seeded_bugs

benchmarks: $(PEERS)
	$(BIN)/python -m benchmarks

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "manifoldtheory needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

# What the benchmarks compare with, on top of the environment, which needs none of it.
$(PEERS): $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[benchmarks]'
	touch $(PEERS)

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) runs .pytest_cache .ruff_cache .hypothesis
