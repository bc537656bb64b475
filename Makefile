# make        set up .venv from requirements.lock and make every report from the raw logs;
#             make VERBOSE=1 says all that Snakemake has to say
# make reports/_site/datasets/my-logs/index.html   one page only, and what it needs
# make test   set up and run the tests that matter most: 3 minutes on two cores
# make test-all   all tests, but those of set-ups, clusters, runs of experiments and papers made again
#             (.ci/run): 20 minutes
# make lint   the checks of code, workflow, spelling and prose that CI runs
# make bench  measure how fast logs are read, into docs/explanation/performance.md: 5 minutes
# make bench-workflow   measure how long the workflow takes, into the same page
# make coverage   `make test`, and how much of each room of the library it calls
# make mutants   do tests notice 200 small changes to what computes? SEED=41 draws the same again
# make verify   check the raw logs, make everything again from them elsewhere, and compare
# make manifest list raw logs that are new; make expected: keep the papers' current numbers
# make archive  one file to deposit, dist/evenflow.zip; make check-archive: validate its metadata
# make audit  look the locked packages up in the public advisories
# make paper NAME=my-paper DATA=my-logs   start a report of your own from a template
# make doctor say what this machine lacks
# make publish DIR=../my-site   make, and copy the pages there, and nothing else
# make wheels  evenflow's wheels, for Linux (x86-64, arm64) and macOS, into dist
# make reference  write docs/reference/configuration.md from the schemas, dictionary.md from tables.yml
# make clean  remove what the workflow made, and nothing else
ifneq (,$(findstring {,$(CURDIR))$(findstring },$(CURDIR))$(findstring :,$(CURDIR)))
$(error evenflow cannot work in a folder whose path has a brace or a colon. Remedy: move the project)
endif
CLOSED := $(shell for place in . .snakemake data/derived reports/_site; do \
  test ! -e $$place || test -w $$place || echo $$place; done)
ifneq (,$(CLOSED))
$(error $(CLOSED): you may not write there, and evenflow must. Remedy: chown or chmod, or copy the project)
endif

PYTHON ?= python3
VENV := .venv
READY := $(VENV)/.ready
PACKAGES := $(VENV)/.installed
# what is started below finds the programs of .venv before any other of the same name
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
# nor any package but those of .venv, whatever is set for other projects; and names of files are UTF-8
unexport PYTHONHOME PYTHONPATH
# Python keeps what it compiled of the tool: else every job compiles it anew, for a third of its time
unexport PYTHONDONTWRITEBYTECODE
export PYTHONUTF8 := 1
export PIP_USER := 0
# Snakemake keeps a cache at home; where there is none or it cannot be written, here
ifeq (,$(HOME))
export HOME := $(CURDIR)/.snakemake
endif
ifneq (yes,$(shell cache="$${XDG_CACHE_HOME:-$(HOME)/.cache}"; \
  for place in "$$cache/snakemake" "$$cache" "$$(dirname "$$cache")"; do \
  if test -e "$$place"; then test -d "$$place" -a -w "$$place" && echo yes; break; fi; done))
export XDG_CACHE_HOME := $(CURDIR)/.snakemake/cache
endif
# how far it is, what failed and why; VERBOSE=1 has all that Snakemake says
SCREEN := $(if $(VERBOSE),,--logger evenflow)
# $(call install,ENVIRONMENT,LOCK): every file has its hash in a lock, those too that build a package
# without a wheel: left to itself, pip fetches setuptools of any version and without a hash
pip-install = $(1)/bin/python -m pip install --quiet --require-hashes --no-build-isolation --requirement
install = $(call pip-install,$(1)) requirements/build.lock && $(call pip-install,$(1)) $(2)

# a .venv whose Python is gone (of a system that was upgraded, of another machine) is made again
INSTALLED := import importlib.util, sys; sys.exit(importlib.util.find_spec("snakemake") is None)
ifneq (,$(shell test ! -e $(READY) || $(VENV)/bin/python -I -c '$(INSTALLED)' 2>/dev/null || \
  { rm -f $(READY) $(PACKAGES); echo gone; }))
$(info The Python that $(VENV) was made with is not there any more: $(VENV) is made again)
CLEAR := --clear
endif

.PHONY: all always test test-rest test-all lint coverage mutants bench bench-workflow verify manifest expected archive check-archive audit paper trace doctor reference publish wheels clean
snakemake = PYTHONPATH=workflow python -m snakemake $(SCREEN)
# it starts Snakemake where anything may be to do
make-pages = PYTHONPATH=workflow python -m evenflow.runs.settled $(SCREEN) --cores all
all: $(READY)
	@$(make-pages) && echo "Open reports/_site/index.html in a browser."

# whether a page is up to date is for Snakemake to say
reports/_site/%.html: $(READY) always
	@$(make-pages) -- '$(subst ','\'',$@)' && echo 'Open $(subst ','\'',$@) in a browser.'
always:

# on as many cores as there are, four at most; a file of tests has one worker, as its tests share what
# they made; those of the first folders take longest and begin first. CONTRIBUTING.md says what is where
pytest := python -m pytest --numprocesses logical --maxprocesses 4 --dist loadfile --no-loadscope-reorder \
  tests/faults tests/workflow tests/strangers tests/ci reports experiments tests/unit --ignore-glob '*/test_runs.py' \
  --ignore tests/ci/test_archiving.py --ignore tests/ci/test_setup.py --ignore tests/ci/test_wheel.py \
  --ignore tests/ci/test_slurm.py --ignore tests/ci/test_reproducible.py --ignore tests/faults/test_executor.py -rs --durations 20
test: $(READY)
	$(pytest) -m 'not thorough'

# what `make test-all` adds to `make test`; most of it starts processes and waits for them, so that one
# worker more keeps the cores at work (tests/conftest.py)
test-rest: $(READY)
	$(pytest) -m thorough

test-all: $(READY)
	$(MAKE) test
	$(MAKE) test-rest

lint: $(READY) .venv-lint/.ready
	python -m ruff check .
	python -m ruff format --check .
	python -m snakefmt --check Snakefile workflow/Snakefile workflow/rules experiments
	python -m snakemake --lint
	python -m codespell_lib
	python workflow/lint_prose.py
	python workflow/lint_order.py
	PYTHONPATH=workflow .venv-lint/bin/lint-imports --no-logo
	.venv-lint/bin/mypy --python-executable $(VENV)/bin/python --cache-dir .snakemake/mypy

coverage: $(READY)
	$(pytest) -m 'not thorough' --cov --cov-report=
	python tests/coverage_by_room.py

mutants: $(READY)
	python tests/mutants/try_changes.py $(if $(SEED),--seed $(SEED))

bench: $(READY) .venv-bench/.ready
	PYTHONPATH=workflow python benchmarks/run.py docs/explanation/performance.md

bench-workflow: $(READY)
	python benchmarks/workflow.py docs/explanation/performance.md

verify: $(READY)
	@$(snakemake) --cores all -- verify

manifest: $(READY)
	@$(snakemake) --cores 1 $(if $(ACCEPT),--config accept_changed=True) -- write_manifest

expected: $(READY)
	@$(snakemake) --cores all -- write_expected

archive: $(READY)
	@$(snakemake) --cores all -- write_archive

check-archive: .venv-archive/.ready .venv-cff/.ready
	@.venv-cff/bin/cffconvert --validate --infile CITATION.cff
	@.venv-archive/bin/python workflow/validate_archive.py dist/evenflow.zip

# what has no network, or asks an index without advisories, fails here and nowhere else
audit: .venv-audit/.ready
	@.venv-audit/bin/python workflow/audit.py

paper: $(READY)
	@PYTHONPATH=workflow python -m evenflow.command paper --data='$(subst ','\'',$(DATA))' -- '$(subst ','\'',$(NAME))'

trace: $(READY)
	@PYTHONPATH=workflow python -m evenflow.command trace -- '$(subst ','\'',$(NUMBER))'

doctor: $(READY)
	@PYTHONPATH=workflow python -m evenflow.command doctor

reference: $(READY)
	@python workflow/describe_configuration.py
	@PYTHONPATH=workflow python workflow/describe_tables.py

publish: $(READY)
	@PYTHONPATH=workflow python -m evenflow.command publish -- '$(subst ','\'',$(DIR))'

# what compiles for other machines than this one, and what builds wheels
wheels: .venv-compiler/.ready
	@for platform in manylinux_2_17_x86_64 manylinux_2_17_aarch64 macosx_11_0_x86_64 macosx_11_0_arm64; do \
	  EVENFLOW_WHEEL=$$platform CC=".venv-compiler/bin/python -m ziglang cc" \
	  .venv-compiler/bin/python -m hatchling build -t wheel -d dist || exit 1; done

# environments of what only developers need: the validators', those of checks
.venv-%/.ready: requirements/%.lock requirements/build.lock
	@$(PYTHON) -m venv .venv-$*
	@$(call install,.venv-$*,$<)
	@touch $@

# .installed is there when all packages are; a new lock makes it again
$(PACKAGES): requirements.lock requirements/build.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo >&2 \
	  "evenflow needs Python 3.11 or later; if you have it by another name: make PYTHON=python3.12"; \
	  exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo >&2 \
	  "This Python cannot make virtual environments. Remedy: install its venv package" \
	  "(Debian, Ubuntu: apt-get install python3-venv), then make again."; exit 1; }
	@echo "Setting up $(VENV) from requirements.lock, which takes a minute or two"
	@$(PYTHON) -m venv $(CLEAR) $(VENV)
	@{ $(call install,$(VENV),requirements.lock); } || { \
	  echo >&2 "pip could not install requirements.lock (see above). Remedy: check the network (with" \
	  "Python 3.14: have a C compiler, or make PYTHON=python3.13), then make again."; exit 1; }
	@touch $@

# the scanners of logs, by the machine's compiler; where it has none, by one from PyPI (100 MB, 400 on
# the disk) that is taken away again
COMPILER := .venv-compiler
compile := PYTHONPATH=workflow python -c 'from evenflow.formats.compiled import library; library()'
with-compiler-of-its-own = $(PYTHON) -m venv $(COMPILER) && \
  $(call pip-install,$(COMPILER)) requirements/compiler.lock && \
  CC="$(COMPILER)/bin/python -m ziglang cc" $(compile); done=$$?; rm -rf $(COMPILER); test $$done = 0

# .ready is the last file of a complete .venv; other scanners make it again
$(READY): $(PACKAGES) $(wildcard workflow/evenflow/formats/*.c)
	@$(compile) 2>/dev/null || { echo "No compiler for C works here: fetching one"; \
	  $(with-compiler-of-its-own); } || { echo >&2 "The scanners of logs could not be compiled (see" \
	  "above). Remedy: check the network, or install gcc or clang, then make again."; exit 1; }
	@touch $@

# of what is not as evenflow made it nothing; without .venv too
clean:
	@PYTHONPATH=workflow $(if $(wildcard $(VENV)/bin/python),python,$(PYTHON)) -m evenflow.runs.clean
