# Needs GNU make 3.81 or newer, Python 3.10 or newer and, for all but `help` and `clean`, a JDK 17 or newer, which
# deploy/setup/jdk.sh finds or installs. Everything else is set up here; a second call has nothing to do.

.PHONY: help demo test test-all serve bench jar explorer checks checked-explorer lock lint audit golden parity generated wheel clean
.DEFAULT_GOAL := help

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
SPARK35 := .venv-spark35
SPARK41 := .venv-spark41
AUDIT := .venv-audit
SETUP := deploy/setup

# Every recipe that may start Java names the JDK for itself; a failing look-up ends it.
WITH_JDK := JAVA_HOME="$$(sh $(SETUP)/jdk.sh)" && export JAVA_HOME &&

# The server's store: the demo's, with the demo's rules, unless you name another.
ifeq ($(origin STORE),undefined)
STORE := sqlite:///.headwater/demo/lineage.db
SERVE := --rules cli/headwater_cli/demo/rules.yaml
endif

help: ## say what there is
	@echo "make TARGET, where TARGET is one of"
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{printf "  %-9s %s\n", $$1, $$2}'

demo: $(VENV)/.demo ## run two Spark jobs and ask where their data came from and who is exposed
	@$(WITH_JDK) $(PY) integration/jvm/build_jar.py && $(BIN)/headwater demo

# Tests wait for Spark and Neo4j much of their time. Each worker may start a Spark of each line (2 GB), and one of them
# Neo4j (1 GB); `make test WORKERS=1` needs less.
WORKERS := 2
PYTEST := $(BIN)/pytest -n $(WORKERS) --max-worker-restart=0

# The profile "ci" tries the same examples each time, so that a change is not judged by chance; test-all tries others.
test: $(SPARK35)/.installed jar checks ## everything a change must pass, Neo4j included
	@sh $(SETUP)/chromium.sh >/dev/null
	@$(WITH_JDK) $(PYTEST) -m "not slow" --hypothesis-profile=ci

test-all: $(SPARK35)/.installed $(SPARK41)/.installed jar checks ## the tests that take long as well
	@sh $(SETUP)/chromium.sh >/dev/null
	@$(WITH_JDK) $(PYTEST)

serve: $(VENV)/.demo ## start the server on the demo's store (STORE=sqlite:///FILE or neo4j://HOST for another)
	@$(MAKE) --no-print-directory explorer || echo "serving without the pages; GraphQL itself works"
	@$(BIN)/headwater serve --store $(STORE) $(SERVE)

bench: $(VENV)/.dev $(SPARK35)/.installed jar ## measure, and print the figures
	@$(WITH_JDK) for each in tests/bench/bench_*.py; do PYTHONPATH=tests $(PY) $$each || exit 1; done

# Beside each other, as each takes about one processor.
checks: $(VENV)/.dev
	@$(MAKE) --no-print-directory -j 2 lint checked-explorer

checked-explorer: explorer
	@$(PY) graphql/explorer/build_explorer.py --check

lint: $(VENV)/.dev ## ruff, mypy and the layers
	@$(BIN)/ruff check . && $(BIN)/ruff format --check . && $(BIN)/mypy && $(BIN)/lint-imports

jar: $(VENV)/.demo ## compile the Spark listener against the installed Spark
	@$(WITH_JDK) $(PY) integration/jvm/build_jar.py

explorer: $(VENV)/.demo ## build the explorer and GraphiQL; a Node is fetched where there is none
	@{ command -v node && command -v npm; } >/dev/null || \
	    $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/explorer.txt
	@$(PY) graphql/explorer/build_explorer.py

parity: $(VENV)/.dev $(SPARK35)/.installed jar ## compare with the official agent and write docs/parity.md
	@$(WITH_JDK) PYTHONPATH=tests $(PY) tests/parity/compare.py --out docs/parity.md

audit: $(AUDIT)/.installed ## ask for known vulnerabilities of all that is locked, over the network
	@for each in server demo dev explorer spark35 spark41 audit; do echo "$$each:" && \
	    $(AUDIT)/bin/pip-audit --strict --require-hashes --disable-pip -r requirements/$$each.txt || exit 1; done

golden: $(VENV)/.dev $(SPARK35)/.installed jar ## capture the golden cases' plans and write their lineage anew (CASE=name for one)
	@$(WITH_JDK) PYTHONPATH=tests $(PY) -m golden.rewrite $(CASE)

# Each is written whole, or not at all.
define MADE
$(PY) -m $(1) > $(2).new && mv $(2).new $(2)
endef

generated: $(VENV)/.dev ## write what is made from the code: schema, documents, types of the explorer
	@$(call MADE,headwater_graphql,graphql/schema.graphql)
	@$(call MADE,headwater_spark.activation.configuration,docs/configuration.md)
	@$(call MADE,headwater_backend.settings,docs/server.md)
	@$(MAKE) --no-print-directory explorer

wheel: $(VENV)/.demo jar explorer ## build the wheel with all that belongs into it, into dist/
	@$(PY) -m hatchling build -t wheel -d dist

# The locks: exact versions and hashes for every Python that is supported, and no index address.
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.10 --generate-hashes --no-emit-index-url --no-header
lock: $(VENV)/.dev ## choose and lock the newest versions that pyproject.toml allows
	$(LOCK) --upgrade --extra backend --extra reports --extra pictures --extra active --extra cut --extra models --group dev pyproject.toml -o requirements/dev.txt
	$(LOCK) --upgrade --extra backend --group spark --group build -c requirements/dev.txt pyproject.toml -o requirements/demo.txt
	$(LOCK) --upgrade --extra backend --extra traces --extra reports --extra pictures --extra active --extra cut --group build -c requirements/dev.txt pyproject.toml -o requirements/server.txt
	$(LOCK) --upgrade requirements/spark35.in -o requirements/spark35.txt
	$(LOCK) --upgrade requirements/spark41.in -o requirements/spark41.txt
	$(LOCK) --upgrade --group pyproject.toml:explorer -o requirements/explorer.txt
	$(LOCK) --upgrade --group pyproject.toml:audit -o requirements/audit.txt

clean: ## remove what was built and generated, and the virtual environments
	rm -rf $(VENV) $(SPARK35) $(SPARK41) $(AUDIT) .headwater dist build integration/headwater_spark/jars spark-warehouse metastore_db derby.log
	rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache graphql/headwater_graphql/explorer/static

$(VENV)/.demo: requirements/demo.txt pyproject.toml
	@sh $(SETUP)/venv.sh $(VENV) requirements/demo.txt
	@touch $@

# The second stamp is there because what the tests need holds what the demo needs.
$(VENV)/.dev: requirements/dev.txt pyproject.toml
	@sh $(SETUP)/venv.sh $(VENV) requirements/dev.txt
	@touch $@ $(VENV)/.demo

$(SPARK35)/.installed: requirements/spark35.txt pyproject.toml
	@sh $(SETUP)/venv.sh $(SPARK35) requirements/spark35.txt
	@touch $@

$(SPARK41)/.installed: requirements/spark41.txt pyproject.toml
	@sh $(SETUP)/venv.sh $(SPARK41) requirements/spark41.txt
	@touch $@

$(AUDIT)/.installed: requirements/audit.txt
	@"$$(sh $(SETUP)/python.sh)" -m venv --clear $(AUDIT)
	@$(AUDIT)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r $<
	@touch $@
