# Everything runs with the Node that package-lock.json pins: node_modules/.bin comes first on PATH.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

WITH_NODE := PATH="$(CURDIR)/node_modules/.bin:$$PATH"
STAMP := node_modules/.stamp

.PHONY: help quickstart test test-all trainers test-trainers check bench build pictures docs-site closed-loop real-loop format clean

help: ## list these targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

# npm starts on the system's Node, whatever its version, and brings Node 24 along.
$(STAMP): package.json package-lock.json .npmrc
	npm ci --no-audit --no-fund --loglevel=error
	@v=$$(node_modules/.bin/node --version 2>/dev/null || node --version); \
	  [ "$${v#v}" != "$$v" ] && [ "$$(echo "$${v#v}" | cut -d. -f1)" -ge 24 ] || { \
	    echo "Node 24 or newer is needed, this is $$v, and npm could not install the package 'node'" \
	      "(a development dependency): install Node 24, then run make again." >&2; exit 1; }
	@touch $@

quickstart: $(STAMP) ## run the embedded example, no key needed (NAME=... names the run)
	@bash scripts/setup-bubblewrap.sh
	$(WITH_NODE) node bin/coa-distill.js run examples/quickstart.yaml $(if $(NAME),--name "$(NAME)")

test: $(STAMP) ## run the tests, 5 minutes on two cores (installs bubblewrap and python3 where it can)
	bash scripts/setup-system.sh tests
	$(WITH_NODE) vitest run --project quick

# Without the trainers' environments the other tests still run.
test-all: $(STAMP) ## run all tests with all their cases: attacks, kills, real trainers (half an hour; PROJECT=... picks)
	status=0; $(MAKE) trainers || status=1; \
	  for what in browser postgres; do bash scripts/setup-system.sh $$what || status=1; done; \
	  COA_TESTS=all $(WITH_NODE) vitest run $(if $(PROJECT),--project '$(PROJECT)') || status=1; exit $$status

trainers: ## make the Python environments of the real trainers (4 GB, cached between clones)
	bash scripts/setup-system.sh trainers
	bash scripts/setup-trainers.sh

test-trainers: $(STAMP) trainers ## run the tests by the real trainers
	$(WITH_NODE) vitest run --project trainers --project jobs

check: $(STAMP) ## types, lint (Python too), formatting and the import rules of the rooms
	$(WITH_NODE) tsc --noEmit
	$(WITH_NODE) tsc --noEmit --project viewer/pages
	$(WITH_NODE) biome check --error-on-warnings .
	$(WITH_NODE) node scripts/check-python.ts
	$(WITH_NODE) vitest run test/rooms.test.ts --reporter=default

bench: $(STAMP) ## run the measurements in bench/
	@set -- bench/*.bench.ts; [ -e "$$1" ] || { echo 'no bench/*.bench.ts yet' >&2; exit 1; }; \
	  for file in "$$@"; do echo "== $$file"; $(WITH_NODE) node "$$file"; done

build: $(STAMP) ## compile the package to dist/
	$(WITH_NODE) npm run --silent build

pictures: $(STAMP) ## take the pictures of the viewer that README and docs show (needs Chromium)
	bash scripts/setup-system.sh browser
	$(WITH_NODE) node scripts/take-pictures.ts

docs-site: $(STAMP) ## build the documentation as plain pages: docs-site/index.html
	rm -rf docs-site
	$(WITH_NODE) eleventy --config=docs/site/eleventy.config.js --quiet

# The same command resumes.
closed-loop: $(STAMP) trainers ## teach a small model by our rows and measure it (hours; docs/closed-loop.md)
	$(WITH_NODE) node examples/closed-loop/closedLoop.ts $(if $(FOLDER),"$(FOLDER)",closed-loop)

real-loop: $(STAMP) trainers ## a real model teaches a smaller one (hours, 2 GB of weights; docs/real-teacher.md)
	$(WITH_NODE) node examples/real-loop/realLoop.ts $(if $(FOLDER),"$(FOLDER)",real-loop)

format: $(STAMP) ## format the sources and sort their imports
	$(WITH_NODE) biome check --write --linter-enabled=false .

clean: ## remove what was built and installed (runs/ stays)
	rm -rf node_modules dist docs-site test-results
