# Everything here needs Python 3.11 or newer, and make. The rest is set up in .venv.
PYTHON ?= python3
PORT ?= 8888
STUDENTS ?= 60
VENV := .venv
BIN := $(VENV)/bin

.PHONY: lab test lint build demo bench clean help

help: ## show this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

lab: $(VENV)/.student ## open the course in JupyterLab (PORT=8888)
	$(BIN)/mlcore lab --port $(PORT)

test: $(VENV)/.dev lint ## everything: lint, types, unit tests, notebooks, release, browser
	$(BIN)/python -m pytest -n 2 --dist loadgroup --durations 8 tests
	$(BIN)/mlcore build --check
	$(BIN)/python -m pytest -n 2 --dist loadfile --nbval-lax -p no:cacheprovider -q build/source notebooks

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
