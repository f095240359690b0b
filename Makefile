# One command for each habit. `make demo` and `make test` set up all they need.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE_FILES := $(shell cat src/core/sources.txt)
SOURCES := $(CORE_FILES) $(shell find src/core -name '*.hpp') $(wildcard src/core/*.cpp tests/core/*.cpp tests/core/*.hpp)
FORMATTED := $(SOURCES) benchmarks/instructions.cpp
ifeq ($(MAKELEVEL),0)
MAKEFLAGS += --jobs=$(shell nproc)
endif
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Runs a command and says how long it took.
timed = @start=$$(date +%s.%N); $(1); code=$$?; \
	awk -v a=$$start -v b=$$(date +%s.%N) 'BEGIN { printf "make $@ took %.1f s\n", b - a }'; exit $$code

# Installs the package in its environment and shows how far it is: compiling the core takes a minute or two.
install = @mkdir -p build; echo "installing into $(VENV) and compiling the core; build/install.log has all of it"; \
	{ $(BIN)/python -m pip --disable-pip-version-check install --verbose $(1) 2>&1; echo "exit code $$?"; } | \
	tee build/install.log | awk -v mark="$$([ -t 1 ] && printf '\r' || printf '')" -f .ci/progress.awk || \
	{ tail -n 30 build/install.log; exit 1; }

.PHONY: help demo docs dist test test-browser test-exports check format sanitize bench bench-full absolute hard instructions paths tables \
	real choosing scale experiments clean

help:
	@echo "docs          the site, in build/docs/index.html"
	@echo "dist          source and wheel in dist/, tried in an empty environment"
	@echo "demo          fit a real table and read the proven best tree"
	@echo "test          every test (needs no network once installed)"
	@echo "test-browser  reports in Debian's chromium (installs it where it may)"
	@echo "test-exports  exports in the databases, compilers and libraries they are for (installs PostgreSQL where it may)"
	@echo "check         ruff, mypy and clang-format"
	@echo "format        rewrite the sources in the project's style"
	@echo "sanitize      the core's own tests under ASan and UBSan, then TSan"
	@echo "bench         the search beside pystreed and osrt: 128 cells (a quarter of an hour; QUICK=1 for a minute or two)"
	@echo "bench-full    every dataset, regularization and depth beside them (hours; goes on where it was stopped)"
	@echo "absolute      absolute error beside osrt: eleven tables, three regularizations (half an hour)"
	@echo "hard          the search alone on what is hard: proofs, memory, threads, first trees (hours; goes on too)"
	@echo "instructions  whether the search got slower, counted under valgrind (a minute; ARGS=--record to accept)"
	@echo "paths         what the whole path of optimal trees costs beside one fit"
	@echo "tables        fourteen real tables with defaults, beside scikit-learn's greedy tree"
	@echo "real          twelve tables as people have them, beside what is on record (hours; ARGS=--record to accept)"
	@echo "choosing      the size of a tree chosen by cross-validation, beside pruned and depth-limited CART (hours, goes on where it was stopped)"
	@echo "scale         100 million rows in a Parquet file"
	@echo "experiments   the paper's experiments and ours, all of them (hours; QUICK=1 for ten minutes; go on where stopped)"
	@echo "experiment-NAME  one of them: loss controllability time validation scalability ablation trace trees datasets baselines beyond"
	@echo "clean         remove what the other targets made"

$(VENV)/made:
	$(PYTHON) -m venv $(VENV)
	touch $@

# Built again only when the sources or the build files change.
$(VENV)/installed: $(VENV)/made pyproject.toml CMakeLists.txt src/core/sources.txt $(SOURCES)
	$(call install,--editable .)
	touch $@

$(VENV)/dev: $(VENV)/made pyproject.toml CMakeLists.txt src/core/sources.txt $(SOURCES)
	$(call install,--editable '.[dev]')
	touch $(VENV)/installed $@

$(VENV)/bench: $(VENV)/installed
	$(PIP) install --editable '.[bench]'
	touch $@

# The core's own tests need a compiler and nothing else. Each way to build the core has a folder of objects.
CORE_FLAGS := -std=c++20 -ffp-contract=off -Wall -Wextra -Wshadow -Wno-psabi -Isrc/core -Itests/core -pthread -MMD -MP
CORE_TESTS := $(CORE_FILES) $(wildcard tests/core/*.cpp)
FLAGS_tests := -O2
# Fixed flags, those of a release: counts of other builds are not comparable.
FLAGS_release := -O3 -DNDEBUG
# Function multiversioning resolves symbols before the sanitizers are ready, hence OPTITREE_PLAIN.
FLAGS_sanitized := -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -DOPTITREE_PLAIN
FLAGS_threads := -O1 -g -fsanitize=thread -DOPTITREE_PLAIN

objects = $(patsubst %.cpp,build/$(1)/%.o,$(2))

build/core_tests: $(call objects,tests,$(CORE_TESTS))
build/core_tests_sanitized: $(call objects,sanitized,$(CORE_TESTS))
build/core_tests_threads: $(call objects,threads,$(CORE_TESTS))
build/instructions: $(call objects,release,$(CORE_FILES) benchmarks/instructions.cpp)

build/core_tests build/core_tests_sanitized build/core_tests_threads build/instructions:
	$(CXX) $(LINK) $^ -pthread -o $@
build/core_tests_sanitized: LINK := $(FLAGS_sanitized)
build/core_tests_threads: LINK := $(FLAGS_threads)

define compile
build/$(1)/%.o: %.cpp Makefile
	@mkdir -p $$(@D)
	$$(CXX) $$(CORE_FLAGS) $$(FLAGS_$(1)) -c $$< -o $$@
endef
$(foreach way,tests release sanitized threads,$(eval $(call compile,$(way))))
-include $(shell find build -name '*.d' 2>/dev/null)

demo:
	$(call timed,$(MAKE) --no-print-directory $(VENV)/installed && $(BIN)/optitree demo)

test:
	$(call timed,$(MAKE) --no-print-directory $(VENV)/dev build/core_tests build/browser/ready build/databases/ready && \
		build/core_tests && \
		$(BIN)/python -m pytest -q -m "not alone" --numprocesses=auto && \
		$(BIN)/python -m pytest -q -m alone)

# Debian's chromium and axe-core from npm; what cannot be installed here is skipped by the tests that need it.
build/browser/ready:
	@mkdir -p build/browser
	@command -v chromium >/dev/null || { [ "$$(id -u)" = 0 ] && apt-get update -qq && \
		apt-get install -y -qq --no-install-recommends chromium >/dev/null; } || echo "no chromium: browser tests are skipped"
	@npm install --silent --no-save --prefix build/browser axe-core@4.14.0 || echo "no axe-core: its test is skipped"
	@touch $@

# Debian's PostgreSQL and Graphviz, for exports; the tests start a server of their own, in a temporary folder.
# After the browser: apt has one user at a time.
build/databases/ready: | build/browser/ready
	@mkdir -p build/databases
	@{ [ -n "$$(ls /usr/lib/postgresql/*/bin/initdb 2>/dev/null)" ] && command -v dot >/dev/null; } || \
		{ [ "$$(id -u)" = 0 ] && apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
		apt-get install -y -qq --no-install-recommends postgresql graphviz >/dev/null; } || \
		echo "no PostgreSQL or no Graphviz: the tests that need them are skipped"
	@touch $@

test-exports: $(VENV)/dev build/databases/ready
	$(BIN)/python -m pytest -q tests/exports tests/distributed/test_predictions.py

test-browser: $(VENV)/dev build/browser/ready
	$(BIN)/python -m pytest -q tests/browser

# Warnings are errors: a link that leads nowhere, a page that nothing leads to.
docs: $(VENV)/dev
	$(call timed,$(BIN)/python -m sphinx --quiet --fail-on-warning --keep-going -b html docs build/docs && \
		echo "build/docs/index.html")

# The wheel is built of the source archive, and tried where there is nothing but its own dependencies.
dist: $(VENV)/dev
	rm -rf dist build/empty && mkdir -p build/empty
	$(BIN)/python -m build --outdir dist .
	$(BIN)/python -m tests.docs.examples --first README.md > build/empty/first.py
	$(PYTHON) -m venv build/empty/venv
	build/empty/venv/bin/python -m pip --disable-pip-version-check --quiet install dist/*.whl
	cd build/empty && ! venv/bin/python -c "import pandas" 2>/dev/null && venv/bin/python first.py && \
		venv/bin/optitree --version && venv/bin/optitree demo >/dev/null && echo "the wheel works on its own"

# A run that looks for races takes many times as long: one random case in five is enough for it.
sanitize: build/core_tests_sanitized build/core_tests_threads
	build/core_tests_sanitized
	build/core_tests_threads 5

check: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(FORMATTED)

format: $(VENV)/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(FORMATTED)

# ARGS are passed on, for example ARGS="--peer-limit 30"; `python -m benchmarks.run --help` has them all.
bench: $(VENV)/bench
	$(BIN)/python -m benchmarks.run --cells $(if $(QUICK),quick,bench) --fresh $(ARGS)

bench-full: $(VENV)/bench
	$(BIN)/python -m benchmarks.run --cells full $(ARGS)

absolute: $(VENV)/bench
	$(BIN)/python -m benchmarks.absolute $(ARGS)

hard: $(VENV)/bench
	$(BIN)/python -m benchmarks.hard $(ARGS)

instructions: $(VENV)/bench build/instructions
	$(BIN)/python -m benchmarks.instructions $(ARGS)

paths: $(VENV)/bench
	$(BIN)/python -m benchmarks.paths $(ARGS)

tables: $(VENV)/bench
	$(BIN)/python -m benchmarks.tables

real: $(VENV)/bench
	$(BIN)/python -m benchmarks.real --generated $(ARGS)

choosing: $(VENV)/bench
	$(BIN)/python -m benchmarks.choosing $(ARGS)

scale: $(VENV)/bench
	$(BIN)/python -m benchmarks.scale

# For example `make experiment-loss ARGS="--datasets airfoil servo"`; `python -m experiments --help` says what each is.
experiments: $(VENV)/bench
	$(BIN)/python -m experiments all $(if $(QUICK),--quick) $(ARGS)

experiment-%: $(VENV)/bench
	$(BIN)/python -m experiments $* $(if $(QUICK),--quick) $(ARGS)

clean:
	rm -rf build dist $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
