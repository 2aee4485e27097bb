# One target, one line of work. `make` alone lists them.
#
# Every target that needs packages sets up .venv by itself, once: the stamp is older than the locks
# or pyproject.toml only when something has to be installed.

.DEFAULT_GOAL := help
SHELL := /bin/bash

PYTHON ?= $(shell command -v python3.11 || command -v python3.12 || command -v python3.13 || command -v python3)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTEST_ARGS ?=
# Processes that share the tests, a whole module each: one more than processors, for tests also wait, for
# processes that they start and kill. WORKERS=0 runs them in one, which a debugger wants.
WORKERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
SHARED := --dist loadscope --no-loadscope-reorder
# Whatever the shell says: tests start hundreds of processes, and each would compile all that it imports.
COMPILED := PYTHONDONTWRITEBYTECODE=
BENCH_ARGS ?=
KILL_ARGS ?=
MUTANTS ?=

LOCK := CUSTOM_COMPILE_COMMAND="make lock" $(BIN)/pip-compile --quiet --strip-extras --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host --no-emit-options --allow-unsafe

# What pip says, as one line that moves: packages as they are fetched, then dots while they are installed.
define PROGRESS
/^(Collecting|Requirement already)/ { printf "\r  %d of %d packages", ++n, all; fflush() }
/^Installing collected/ { print "; installing them, about a minute"; fflush(); system("(while sleep 2 && kill -0 $$PPID 2>/dev/null; do printf .; done) &") }
END { print "" }
endef
export PROGRESS

.PHONY: help
help: ## List the targets
	@echo "usage: make TARGET"
	@echo
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

$(STAMP): requirements-dev.lock pyproject.toml
	@test -n "$(PYTHON)" || { echo "No python3 found. Install Python 3.11 or newer, or say: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || "$(PYTHON)" runtime/cli/platform_check.py
	@echo "Setting up $(VENV): the packages of requirements-dev.lock (once, about two minutes)"
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || "$(PYTHON)" -m venv $(VENV)
	@set -o pipefail; $(BIN)/python -u -m pip install --disable-pip-version-check --progress-bar off --require-hashes \
		-r requirements-dev.lock | awk -v all=$$(grep -c == requirements-dev.lock) "$$PROGRESS"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.PHONY: setup
setup: $(STAMP) ## Make .venv with the locked packages; .venv/bin/vcontract is the command

.PHONY: generate
generate: $(STAMP) ## Write generated/ from spec/, the tables of docs, and docs/rooms.svg
	$(BIN)/python -m vcontract.codegen generate
	$(BIN)/python docs/settings_page.py
	$(BIN)/python docs/cli_page.py
	$(BIN)/python -m docs.tables
	$(BIN)/python -m docs.operators
	$(BIN)/python -m docs.rooms

.PHONY: check
check: $(STAMP) ## What CI checks before the tests: generated/ is current, lint, format, types
	$(BIN)/python -m vcontract.codegen generate --check
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pyright

.PHONY: test
test: $(STAMP) ## Run the tests but the nightly ones; PYTEST_ARGS="tests/vcon -x" narrows, WORKERS=0 uses one process
	$(COMPILED) $(BIN)/python -m pytest -m "not nightly" -n $(WORKERS) $(SHARED) $(PYTEST_ARGS)

.PHONY: test-fast
test-fast: $(STAMP) ## Run the tests that need no database, in less than a minute
	$(COMPILED) $(BIN)/python -m pytest -m unit -n $(WORKERS) $(SHARED) $(PYTEST_ARGS)

.PHONY: test-nightly
test-nightly: $(STAMP) ## Run the tests that CI runs nightly: random arguments, the list of guards, help at every width
	$(COMPILED) $(BIN)/python -m pytest -m nightly -n $(WORKERS) $(SHARED) $(PYTEST_ARGS)

.PHONY: test-postgres
test-postgres: $(STAMP) ## Run the tests over TCP, as a role without powers: on VCONTRACT_TEST_DATABASE_URL, or the wheel's
	$(COMPILED) $(BIN)/python -m tests.own_server $(BIN)/python -m pytest -n $(WORKERS) $(SHARED) $(PYTEST_ARGS)

.PHONY: test-citus
test-citus: $(STAMP) ## The tests that use that server where Citus is loaded: three nodes of VCONTRACT_TEST_CITUS_ARCHIVE=citus-14.0.1.tar.xz
	$(COMPILED) $(BIN)/python -m tests.citus $(BIN)/python -m pytest -m "server and not nightly" -n $(WORKERS) $(SHARED) $(PYTEST_ARGS)

.PHONY: kill
kill: $(STAMP) ## Kill servers and databases in the midst of writes, and look for what is lost; KILL_ARGS="--rounds 20"
	$(BIN)/python -m tests.crashes $(KILL_ARGS)

.PHONY: mutants
mutants: $(STAMP) ## Take out one guard after another, and see that a test misses it; MUTANTS="cursor-unsigned"
	@$(BIN)/python -m tests.mutants $(MUTANTS)

.PHONY: fuzz
fuzz: $(STAMP) ## Try fresh texts, arguments, searches and lines, ten times as many; SEED=7 tries those of that seed again
	@seed=$${SEED:-$$((RANDOM * 32768 + RANDOM))}; echo "these again: make fuzz SEED=$$seed"; \
	FUZZ_SEED=$$seed FUZZ_TIMES=$${TIMES:-10} $(BIN)/python -m pytest --hypothesis-seed=$$seed \
		tests/fuzz tests/e2e/test_lines.py tests/e2e/test_long_lists.py $(PYTEST_ARGS) \
		|| { echo "these again: make fuzz SEED=$$seed"; exit 1; }

LANGUAGES := tests/languages

$(LANGUAGES)/node_modules/.installed: $(LANGUAGES)/package.json $(LANGUAGES)/package-lock.json
	@{ command -v node && command -v npm; } >/dev/null \
		|| { echo "node and npm are needed for this. Install Node 20 or newer"; exit 1; }
	@echo "Installing the packages of $(LANGUAGES)/package-lock.json (once)"
	@cd $(LANGUAGES) && npm ci --loglevel=error
	@touch $@

.PHONY: languages
languages: $(STAMP) $(LANGUAGES)/node_modules/.installed ## Test the generated TypeScript, JSON Schema and OpenAPI with Node
	VCONTRACT_LANGUAGES=1 $(BIN)/python -m pytest $(LANGUAGES) $(PYTEST_ARGS)

.PHONY: snapshots
snapshots: $(STAMP) ## Accept what the contract snapshots show now; review the difference before you commit
	$(BIN)/python -m pytest tests/contract --snapshot-update

.PHONY: scaffold
scaffold: $(STAMP) ## Print the handler stub of a new tool: make scaffold TOOL=vcon_search
	@test -n "$(TOOL)" || { echo "Which tool? Say: make scaffold TOOL=name (the name of a file in spec/tools/<toolset>/)"; exit 2; }
	@$(BIN)/python -m vcontract.codegen scaffold $(TOOL)

.PHONY: migration
migration: ## Make the next numbered file in migrations: make migration NAME=amends
	@test -n "$(NAME)" || { echo "What does it do? Say: make migration NAME=a_few_words"; exit 2; }
	@last=$$(ls migrations | grep -E '^[0-9]{4}_' | tail -n 1 | cut -c 1-4); \
	file=migrations/$$(printf '%04d' $$((1$$last - 9999)))_$(NAME).sql; touch "$$file"; echo "$$file"

.PHONY: contract-report
contract-report: $(STAMP) ## Write build/contract-report.html, the contract for people; BASE=REF adds what changed since
	$(BIN)/python -m vcontract.codegen report --output build/contract-report.html $(if $(BASE),--against $(BASE))

.PHONY: breaking
breaking: $(STAMP) ## Compare the contract with the last release, or with a git ref or folder: make breaking BASE=origin/main
	$(BIN)/python -m vcontract.codegen breaking $(if $(BASE),--against $(BASE)) $(if $(FORMAT),--format $(FORMAT))

.PHONY: prose
prose: $(STAMP) ## Check the style of docs, spec and docstrings; `python -m tests.prose docs` lists what is against it
	$(BIN)/python -m tests.prose

.PHONY: house
house: $(STAMP) ## Print codebase figures: rooms, floors, and the paths of warm calls
	@$(BIN)/python -m tests.house_figures

.PHONY: demo
demo: $(STAMP) ## Import the example conversations and question them through a real client
	@$(BIN)/python docs/demo.py

.PHONY: screenshots
screenshots: $(STAMP) $(LANGUAGES)/node_modules/.installed ## Picture eight views of the web UI in build/screenshots, and write those of docs and README
	$(BIN)/python docs/screenshots.py

.PHONY: docs
docs: $(STAMP) ## Build the site in build/docs, every link checked, with llms.txt and llms-full.txt for models
	$(BIN)/python -m pytest -q tests/test_links.py
	$(BIN)/python -m docs.pages
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs -d build/doctrees build/pages build/docs
	$(BIN)/python -m docs.pages --check
	$(BIN)/python docs/llms.py

BUNDLE := build/bundle

.PHONY: bundle
bundle: $(STAMP) ## Pack build/bundle/vcontract.mcpb for Claude Desktop: its manifest, and the sources as a release has them
	@rm -rf $(BUNDLE) && mkdir -p $(BUNDLE)
	$(BIN)/python -m build --no-isolation --sdist --outdir $(BUNDLE) .
	tar --extract --file $(BUNDLE)/*.tar.gz --directory $(BUNDLE) && rm $(BUNDLE)/*.tar.gz
	cp plugins/mcpb/manifest.json plugins/mcpb/icon.png $(BUNDLE)/vcontract-*/
	cd $(BUNDLE)/vcontract-*/ && $(CURDIR)/$(BIN)/python -m zipfile --create ../vcontract.mcpb *

STRANGER := build/stranger

.PHONY: stranger
stranger: $(STAMP) ## Install the built wheel by itself, and let a stranger's first two minutes pass with it
	@rm -rf $(STRANGER) && mkdir -p $(STRANGER)
	$(BIN)/python -m build --no-isolation --wheel --outdir $(STRANGER) .
	$(BIN)/python -m venv $(STRANGER)/venv
	$(STRANGER)/venv/bin/python -m pip install --quiet --disable-pip-version-check $(STRANGER)/*.whl
	VCONTRACT_TEST_COMMAND=$(CURDIR)/$(STRANGER)/venv/bin/vcontract $(BIN)/python -m pytest tests/e2e/test_first_two_minutes.py

.PHONY: bench
bench: $(STAMP) ## Measure, and print ratios of measurements of one run; BENCH_ARGS="--sizes 1000 --only beside"
	$(BIN)/python -m bench.run $(BENCH_ARGS)

.PHONY: sizes
sizes: $(STAMP) ## Measure the answers of tools and write spec/sizes.yaml, which describe_response_shape returns
	$(BIN)/python -m bench.sizes
	$(BIN)/python -m vcontract.codegen generate

.PHONY: bench-http
bench-http: $(STAMP) ## Measure serving over HTTP: calls, load, connections, tenants; BENCH_ARGS="--only load"
	$(BIN)/python -m bench.serving $(BENCH_ARGS)

.PHONY: bench-scale
bench-scale: $(STAMP) ## Measure every tool at growing sizes, beside other stores (pip install '.[peers]'); BENCH_ARGS="--sizes 1000"
	$(BIN)/python -m bench.scale $(BENCH_ARGS)

.PHONY: relevance
relevance: $(STAMP) ## How well the searches find: questions with known answers; BENCH_ARGS=FILE for yours
	$(BIN)/python -m bench.relevance $(BENCH_ARGS)

.PHONY: keep-store
keep-store: $(STAMP) ## When releasing: keep a store, a cursor, an export, a backup and a signed vCon, for later versions to open
	$(BIN)/python -m tests.store.keep_release
	$(BIN)/python -m tests.golden.keep

.PHONY: lock
lock: $(STAMP) ## Pin the newest allowed packages in requirements.lock and requirements-dev.lock
	$(LOCK) --upgrade --output-file requirements.lock pyproject.toml
	$(LOCK) --upgrade --extra dev --extra docs --constraint requirements.lock --output-file requirements-dev.lock pyproject.toml

.PHONY: lock-node
lock-node: ## Pin what tests/languages/package.json asks for in its package-lock.json
	cd $(LANGUAGES) && npm install --package-lock-only --loglevel=error && node strip-lock.mjs
