# make        set up .venv from requirements.lock and make every report from the raw logs
# make test   set up and run the tests, but for those of experiments and of rendered pages (.ci/run)
# make lint   the checks of style that CI runs
# make bench  measure how fast logs are read and the workflow runs, into docs/performance.md
# make clean  remove what the workflow made
PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
# what is started below finds the programs of .venv before any other of the same name
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

.PHONY: all test lint bench clean
all: $(READY)
	@python -m snakemake --cores all && echo "Open reports/_site/index.html in a browser."

test: $(READY)
	python -m pytest tests --ignore tests/experiments --ignore tests/ci -rs

lint: $(READY)
	ruff check .
	ruff format --check .
	snakefmt --check Snakefile workflow/rules
	python -m snakemake --lint

bench: $(READY)
	python benchmarks/run.py docs/performance.md
	python benchmarks/workflow.py docs/performance.md

# .ready is the last file of a complete .venv; a new lock makes it anew
$(READY): requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo >&2 \
	  "evenflow needs Python 3.11 or later; if you have it by another name: make PYTHON=python3.12"; \
	  exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo >&2 \
	  "This Python cannot make virtual environments. Remedy: install its venv package" \
	  "(Debian, Ubuntu: apt-get install python3-venv), then make again."; exit 1; }
	@echo "Setting up $(VENV) from requirements.lock, which takes a minute or two"
	@$(PYTHON) -m venv $(VENV)
	@$(VENV)/bin/python -m pip install --quiet --require-hashes --requirement requirements.lock || { \
	  echo >&2 "pip could not install requirements.lock (see above). Remedy: check the network, then" \
	  "make again."; exit 1; }
	@touch $@

clean:
	rm -rf data/derived logs reports/_site reports/*/figures reports/*/tables reports/*/_variables.yml
