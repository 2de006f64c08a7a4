# make verify   derive, simulate and observe the theory; prints where the report is
# make test     ruff, pyright and pytest
# make install  the environment of both, .venv; runs again only when pyproject.toml or constraints.txt changed

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: verify test thorough install format clean

verify: $(STAMP)
	$(BIN)/manifoldtheory verify

test: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/pytest -m "not thorough"

thorough: $(STAMP)
	HYPOTHESIS_PROFILE=thorough $(BIN)/pytest

install: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "manifoldtheory needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[dev]'
	touch $(STAMP)

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV) runs .pytest_cache .ruff_cache .hypothesis
