# make demo   set up and run the main job on built-in data
# make test   set up and run every check
# make help   all targets

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check
SHARED := ../shared

SOURCES := $(shell find src native -type f ! -name '*.py[co]' ! -name '*.so' ! -path '*/__pycache__/*')
NATIVE := $(filter native/%.cpp native/%.h,$(SOURCES))

.PHONY: help demo test test-deep wheel lint pytest bench check-optimal sweep sanitize docs clean check-machine
.DELETE_ON_ERROR:

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 24

demo: $(VENV)/installed ## set up and run the main job on built-in data
	@$(BIN)/python -m bugsieve generate blocksworld --blocks 8 --seed 2 -o build/demo
	@rm -rf build/demo-results
	$(BIN)/bugsieve test build/demo --policy asnets:blocksworld -o build/demo-results || test $$? -eq 1
	$(BIN)/bugsieve explain build/demo-results $$(ls build/demo-results/bugs | head -n 1 | cut -d. -f1)
	$(BIN)/bugsieve report build/demo-results -o build/demo-report.html

test: lint pytest ## set up and run every check

test-deep: export BUGSIEVE_DEPTH = deep
test-deep: $(VENV)/deepening lint wheel pytest sanitize ## every check with all examples, those of the core also under sanitizers

lint: $(VENV)/developing $(VENV)/installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(NATIVE)

pytest: $(VENV)/developing $(VENV)/installed
	$(BIN)/python -m pytest -n 2 --dist worksteal

bench: $(VENV)/benchmarking $(VENV)/deepening $(VENV)/installed ## our speed beside that of other planners
	$(BIN)/python -m benchmarks.run

check-optimal: $(VENV)/benchmarking $(VENV)/developing $(VENV)/installed ## optimal costs against Fast Downward's
	$(BIN)/python -m benchmarks.optimal_costs

sweep: $(VENV)/benchmarking $(VENV)/installed ## real tasks with the defaults: times over the limit, what is found
	$(BIN)/python -m benchmarks.sweep

sanitize: $(VENV)/developing $(VENV)/installed ## the core under AddressSanitizer and UBSan, threads too
	VENV=$(VENV) ./tests/sanitize.sh

wheel: $(VENV)/ready ## wheel and source archive in dist/, each tried in an empty environment
	rm -rf dist
	$(PIP) wheel --no-build-isolation --no-deps -w dist .
	$(BIN)/python -c 'from scikit_build_core.build import build_sdist; build_sdist("dist")'
	PYTHON=$(PYTHON) ./tests/try_packages.sh dist/*.whl dist/*.tar.gz

docs: $(VENV)/installed ## write the reference page from the code
	$(BIN)/python docs/build.py

clean: ## remove everything that was built
	rm -rf build dist $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

# Each step leaves a file behind and is repeated only when what it depends on has changed.

check-machine:
	@command -v $(PYTHON) >/dev/null || { echo "Bugsieve needs Python 3.10 or newer: install it with 'apt-get install python3 python3-venv python3-dev'." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' || { echo "Bugsieve needs Python 3.10 or newer, but $(PYTHON) is $$($(PYTHON) -V 2>&1): install a newer one and say 'make PYTHON=python3.11 ...'." >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing: install it with 'apt-get install python3-venv'." >&2; exit 1; }
	@$(PYTHON) -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' || { echo "Python's headers are missing: install them with 'apt-get install python3-dev'." >&2; exit 1; }
	@command -v $${CXX:-c++} >/dev/null || command -v g++ >/dev/null || { echo "A C++20 compiler is missing: install one with 'apt-get install g++'." >&2; exit 1; }

$(VENV)/ready: requirements/build.txt | check-machine
	@echo "Setting up $(VENV) ..."
	$(PYTHON) -m venv $(VENV)
	$(PIP) install -r requirements/build.txt
	@touch $@

$(VENV)/installed: $(VENV)/ready $(SOURCES) CMakeLists.txt pyproject.toml
	@echo "Building and installing Bugsieve ..."
	$(PIP) install --no-build-isolation .
	@touch $@

# pip would compile the modules one by one; some packages hold files that nobody can compile.
$(VENV)/developing: requirements/develop.txt $(VENV)/ready
	$(PIP) install --no-compile -r requirements/develop.txt
	@$(BIN)/python -m compileall -qq -j 2 $(VENV)/lib || true
	@touch $@

$(VENV)/deepening: requirements/deep.txt $(VENV)/ready
	$(PIP) install -r requirements/deep.txt
	@touch $@

$(VENV)/benchmarking: requirements/bench.txt $(VENV)/ready
	$(PIP) install -r requirements/bench.txt
	@touch $@
