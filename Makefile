# make        set up .venv from requirements.lock and make every report from the raw logs
# make test   set up and run the tests
# make lint   the checks of style that CI runs
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: all test lint clean
all: $(VENV)/.ready
	PATH="$(CURDIR)/$(BIN):$$PATH" snakemake --cores all

test: $(VENV)/.ready
	$(BIN)/python -m pytest tests/unit tests/workflow

lint: $(VENV)/.ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/snakefmt --check Snakefile workflow/rules
	PATH="$(CURDIR)/$(BIN):$$PATH" snakemake --lint

$(VENV)/.ready: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo \
	  "evenflow needs Python 3.11 or later; name one: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo \
	  "Python cannot make virtual environments; on Debian: apt-get install python3-venv" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --require-hashes --requirement requirements.lock
	@touch $@

clean: # what the workflow makes, not .venv
	rm -rf data/derived reports/_site reports/*/figures reports/*/tables reports/*/_variables.yml
