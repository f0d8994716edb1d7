# Every target sets up what it needs in .venv and then does its work.
#
#   make check    install, check the base specification and the museum, print what was found
#   make test     install with the test tools, run the tests
#   make lint     style and types
#   make docs     build the documentation into docs/_build/html
#   make bench    measure the checker against SPIN and TLC, and the native broker steps
#
# The installation is editable and made of links to the source files, so that type checkers can
# follow it; a stamp with the names of all files in its own name makes it again when one is added.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

LAYERS := spec model impl cli
FILES  := $(shell find $(LAYERS) -name '*.py' 2>/dev/null | LC_ALL=C sort | cksum | cut -d' ' -f1)
INSTALL = $(BIN)/pip install --quiet --disable-pip-version-check \
          --config-settings editable_mode=strict

INSTALLED   := $(VENV)/installed-$(FILES)
WITH_TESTS  := $(VENV)/with-tests-$(FILES)
WITH_DOCS   := $(VENV)/with-docs-$(FILES)
WITH_BENCH  := $(VENV)/with-bench-$(FILES)

.PHONY: check test peers lint docs bench clean

check: $(INSTALLED)
	$(BIN)/ackproof check --instance core
	$(BIN)/ackproof museum

test: $(WITH_TESTS)
	$(BIN)/pytest -q -n 2 -m "not peer" $(ARGS)

peers: $(WITH_BENCH)
	$(BIN)/pytest -q -m peer $(ARGS)

lint: $(WITH_DOCS)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(LAYERS:%=-p ackproof.%)
	MYPYPATH=docs/_ext $(BIN)/mypy -p specdoc

docs: $(WITH_DOCS)
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

bench: $(WITH_BENCH)
	$(BIN)/python bench/checker.py
	$(BIN)/python bench/native.py

clean:
	rm -rf $(VENV) build docs/_build docs/generated

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(INSTALLED): pyproject.toml | $(BIN)/python
	$(INSTALL) -e .
	@rm -f $(VENV)/installed-* && touch $@

$(WITH_TESTS): pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[test]'
	@rm -f $(VENV)/installed-* $(VENV)/with-tests-* && touch $(INSTALLED) $@

$(WITH_DOCS): $(WITH_TESTS)
	$(INSTALL) -e '.[test,docs]'
	@rm -f $(VENV)/with-docs-* && touch $@

$(WITH_BENCH): $(WITH_TESTS)
	$(INSTALL) -e '.[test,bench]'
	@rm -f $(VENV)/with-bench-* && touch $@
