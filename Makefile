# Every target sets up what it needs in .venv and then does its work.
#
#   make check    install, check the base specification and the museum, print what was found
#   make prove    prove the properties for all sizes, and have cvc5 check one of the proofs
#   make test     install with the tools of development, run the tests
#   make test-long
#                 all tests, with those of peers and spark, of many cases that are alike all, and
#                 everything random from a new seed and twenty times as often; hours
#   make spark    the tests of searches and audits on Spark (needs Java 17 or newer, and unshare,
#                 which gives each worker of a cluster a disk of its own)
#   make lint     style and types
#   make docs     build the documentation into docs/_build/html (needs Graphviz)
#   make peers    the tests that compare with SPIN, TLC, tshark and RabbitMQ, of cases that are alike
#                 some, and the examples in other languages (needs spin, gcc, java, tshark,
#                 tcpdump, rabbitmq-server, and what tests/peers/README.md names)
#   make reproduce
#                 four bugs of a real RabbitMQ beside the model's counterexamples, and a fifth;
#                 installs rabbitmq-server if there is none, puts RabbitMQ 4.0 and the newest into
#                 build/rabbitmq, and takes some minutes
#   make bench    measure the checker beside SPIN and TLC, the search on Spark beside the kernel, the
#                 broker beside RabbitMQ, the machines natively, and the judge of recordings; two
#                 hours, or some minutes with ARGS=--quick
#   make tools    install all that the targets above need
#
# The installation is editable and made of links to the source files, so that type checkers can
# follow it.  A stamp has the names of all source files in its own name, as a checksum: when a file
# is added, the links are made again.
#
# What was searched or proved is kept in the user's cache, and is made again only if something has
# changed that it depends on; with ACKPROOF_CACHE=off, all of it is.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

# Commands and tests start hundreds of processes: what they import is compiled once, whatever the
# environment says.
unexport PYTHONDONTWRITEBYTECODE

# Where rabbitmq-server is, once it is installed, and the releases of Debian that have others.
RABBITMQ := /usr/lib/rabbitmq/lib
RELEASES := trixie sid

LAYERS  := lang spec model proofs impl conform pipeline export cli
FILES   := $(shell find $(LAYERS) -name '*.py' | LC_ALL=C sort | cksum | cut -d' ' -f1)
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile \
           --config-settings editable_mode=strict

# pip compiles one file after the other, and this on all processors.  Some packages have templates
# and tests that are no Python of today.
COMPILE := $(BIN)/python -m compileall -qq -j 0 $(VENV)/lib build/__editable__* || true

USER_STAMP  := $(VENV)/installed-for-users-$(FILES)
DEV_STAMP   := $(VENV)/installed-for-development-$(FILES)
BENCH_STAMP := $(VENV)/installed-for-bench-$(FILES)

.PHONY: check prove test test-long spark lint docs peers reproduce bench tools clean

check: $(USER_STAMP)
	$(BIN)/ackproof check --instance core
	$(BIN)/ackproof museum

prove: $(DEV_STAMP)
	$(BIN)/ackproof prove --limit 60
	$(BIN)/ackproof prove SettledOnce --certificate build/certificate
	$(BIN)/ackproof prove --recheck build/certificate --limit 20

test: $(DEV_STAMP)
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "not peer and not spark" $(ARGS)

test-long: $(BENCH_STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile --long --timeout 14400 $(ARGS)

spark: $(DEV_STAMP)
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m spark tests/pipeline $(ARGS)

lint: $(DEV_STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(LAYERS:%=-p ackproof.%)
	MYPYPATH=docs/_ext $(BIN)/mypy -p specdoc

docs: $(DEV_STAMP)
	@command -v dot >/dev/null || { \
	    echo "make docs needs Graphviz, and there is no \`dot\`: install the package graphviz" >&2; \
	    exit 1; }
	$(BIN)/sphinx-build -W --keep-going -q -j 4 -b html docs docs/_build/html
	@echo "open docs/_build/html/index.html"

peers: $(BENCH_STAMP)
	$(BIN)/python -m pytest -q -n 2 --dist loadfile -m peer tests/peers $(ARGS)

reproduce: $(BENCH_STAMP)
	@test -d $(RABBITMQ) || { \
	    root=$$([ "$$(id -u)" -eq 0 ] || echo sudo); \
	    $$root apt-get update -qq && $$root env DEBIAN_FRONTEND=noninteractive \
	        apt-get install -y -qq --no-install-recommends rabbitmq-server; }
	$(BIN)/python bench/reproduce.py $(ARGS)
	@root=$$([ "$$(id -u)" -eq 0 ] || echo sudo); \
	for suite in $(RELEASES); do \
	    $$root bench/rabbitmq/make-root $$suite build/rabbitmq/$$suite || exit 1; \
	done; \
	$$root $(BIN)/python bench/releases.py $(filter --json,$(ARGS)) $(RELEASES:%=build/rabbitmq/%) && \
	$$root $(BIN)/python bench/dead_letters.py $(RELEASES:%=build/rabbitmq/%)

bench: $(BENCH_STAMP)
	$(BIN)/python bench/checker.py $(ARGS)
	$(BIN)/python bench/spark.py $(filter --quick,$(ARGS))
	$(BIN)/python bench/farm.py $(filter --quick,$(ARGS))
	$(BIN)/python bench/start.py $(filter --quick,$(ARGS))
	$(BIN)/python bench/native.py $(filter --quick,$(ARGS))
	$(BIN)/python bench/broker.py $(filter --quick,$(ARGS))
	$(BIN)/python bench/starvation.py $(filter --quick,$(ARGS))
	$(BIN)/python bench/audit.py $(filter --quick,$(ARGS))
	$(BIN)/python bench/audit_engines.py $(filter --quick,$(ARGS))

tools: $(BENCH_STAMP)

clean:
	rm -rf $(VENV) build docs/_build docs/generated

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(USER_STAMP): pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[check]'
	@$(COMPILE)
	@rm -f $(VENV)/installed-for-* && touch $@

$(DEV_STAMP): pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[all,test,docs]'
	@$(COMPILE)
	@rm -f $(VENV)/installed-for-* && touch $(USER_STAMP) $@

$(BENCH_STAMP): pyproject.toml | $(BIN)/python
	$(INSTALL) -e '.[all,test,docs,bench]'
	@$(COMPILE)
	@rm -f $(VENV)/installed-for-* && touch $(USER_STAMP) $(DEV_STAMP) $@
