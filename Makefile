# Everything here needs Python 3.11 or newer, and make. The rest is set up in .venv.
PYTHON ?= python3
PORT ?= 8888
STUDENTS ?= 60
SEEDS ?= 2000
VENV := .venv
BIN := $(VENV)/bin

# A container's user may have no home: then caches and settings go to build/home.
ifneq ($(shell test -w "$$HOME" || echo none),)
export HOME := $(shell mkdir -p build/home && cd build/home && pwd)
endif

.PHONY: lab test audit test-pythons test-lowest lint build demo bench clean help

help: ## show this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 15

lab: $(VENV)/.student ## open the course in JupyterLab (PORT=8888)
	$(BIN)/mlcore lab --port $(PORT)

test: $(VENV)/.dev lint ## everything: lint, types, notebooks, unit tests, release, browser; installs bubblewrap, Chromium, PostgreSQL if it may
	$(BIN)/python -m tests.programs --install
	$(BIN)/mlcore build --check
	$(BIN)/python -m pytest -n 2 --dist loadfile --nbval-lax -p no:cacheprovider -q build/source notebooks
	$(BIN)/python -m pytest -n 2 --dist loadgroup --durations 8 tests

audit: $(VENV)/.dev ## every exercise on 2,000 seeds, on all cores; goes on where it was stopped (SEEDS=2000)
	$(BIN)/python -m mlcore.authoring.audit --seeds $(SEEDS)

test-pythons: $(VENV)/.dev ## the core of the tests on every Python from 3.11 on that is installed here
	$(BIN)/python -m tests.core pythons

test-lowest: $(VENV)/.dev ## the core of the tests with the oldest packages that pyproject.toml allows
	$(BIN)/python -m tests.core lowest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

build: $(VENV)/.dev ## make notebooks/ from solutions/
	$(BIN)/mlcore build

demo: $(VENV)/.dev ## a simulated class, graded, with its report (STUDENTS=60)
	rm -rf build/demo
	$(BIN)/mlcore class simulate build/demo --students $(STUDENTS)
	$(BIN)/mlcore grade build/demo
	$(BIN)/mlcore report build/demo

bench: $(VENV)/.dev ## measure everything, as ratios: benchmarks/RESULTS.md
	$(BIN)/python -m benchmarks.results

clean: ## remove what make made
	rm -rf $(VENV) build

$(BIN)/uv:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "mlcore needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=python3.12" % sys.version_info[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint requirements.txt uv

$(VENV)/.student: $(BIN)/uv pyproject.toml requirements.txt
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --system-certs --compile-bytecode --constraint requirements.txt --editable .
	@touch $@

$(VENV)/.dev: $(BIN)/uv pyproject.toml requirements.txt
	VIRTUAL_ENV=$(VENV) $(BIN)/uv pip install --quiet --system-certs --compile-bytecode --constraint requirements.txt --editable '.[dev]'
	@touch $@ $(VENV)/.student
