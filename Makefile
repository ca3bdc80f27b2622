# What a contributor runs. `make demo` shows the program at work, `make test` tests everything.

GO ?= go

.PHONY: build man completions install uninstall release demo test test/race test/single test/large test/nocgo test/long lint docs/generate bench fuzz clean

# bin/toolpath-ls is also where the editor plugins of this checkout look for the server.
BIN = bin
DIST = dist
build:
	$(GO) build -o $(BIN)/toolpath-ls ./cmd/toolpath-ls

# The manual and the completion scripts, for packages and `make install`.
man: build
	@rm -rf $(DIST)/man
	SOURCE_DATE_EPOCH="$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct 2>/dev/null)}" $(BIN)/toolpath-ls man $(DIST)/man

completions: build
	@mkdir -p $(DIST)/completions
	$(BIN)/toolpath-ls completion bash >$(DIST)/completions/toolpath-ls
	$(BIN)/toolpath-ls completion zsh >$(DIST)/completions/_toolpath-ls
	$(BIN)/toolpath-ls completion fish >$(DIST)/completions/toolpath-ls.fish

# Installs the program, its manual and its completions, and nothing else; DESTDIR stages a package.
PREFIX ?= /usr/local
bindir = $(DESTDIR)$(PREFIX)/bin
man1dir = $(DESTDIR)$(PREFIX)/share/man/man1
bashdir = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
zshdir = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
fishdir = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

install: build man completions
	install -d "$(bindir)" "$(man1dir)" "$(bashdir)" "$(zshdir)" "$(fishdir)"
	install -m 755 $(BIN)/toolpath-ls "$(bindir)"
	install -m 644 $(DIST)/man/*.1 "$(man1dir)"
	install -m 644 $(DIST)/completions/toolpath-ls "$(bashdir)"
	install -m 644 $(DIST)/completions/_toolpath-ls "$(zshdir)"
	install -m 644 $(DIST)/completions/toolpath-ls.fish "$(fishdir)"

uninstall:
	rm -f "$(bindir)/toolpath-ls" "$(bashdir)/toolpath-ls" "$(zshdir)/_toolpath-ls" "$(fishdir)/toolpath-ls.fish"
	rm -f "$(man1dir)/toolpath-ls.1" "$(man1dir)"/toolpath-ls-*.1

# Archives for all targets that this machine has a compiler for, in dist/release.
release:
	scripts/release $(if $(VERSION),--version $(VERSION))

demo: build
	@scripts/demo

# Passes with Go, gcc and git alone. What needs another program is skipped by name; see .ci/run.
# The parts wait a lot for programs that they start, and have nothing to do with each other: three run at a time.
test: lint
	@$(MAKE) --no-print-directory -j3 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target) test/race test/single test/large test/nocgo

# lint has vetted all packages once.
test/race:
	$(GO) test -vet=off -race -p 4 -timeout 25m $$($(GO) list ./... | grep -vE '$(SINGLE)')

test/single:
	$(GO) test -vet=off -p 4 -timeout 25m $$($(GO) list ./... | grep -E '$(SINGLE)')

# Packages that start no goroutine and keep nothing that goroutines share: the race detector would
# find nothing in them. architecture_test.go holds them to it.
SINGLE = /analysis/(canonical|convert|drawing|entity|format|lineage|linediff|query|trust/(gpg|ssh|sigstore)|udiff)|/(docs|editors|scripts)/|/scripts$$

# What does less under the race detector, or nothing (internal/race): very many and very large documents and
# histories, formatters that run, memory. architecture_test.go holds these lists to be complete.
test/large:
	$(GO) test -vet=off -timeout 25m -run '$(LARGE)' $(LARGE_IN)

LARGE = CancelledQueries|CheckMany|ClosedDocumentsAreFreed|CutDocuments|EqualsFreshOne|EverythingOfMany|FormatterTruth|GrowsWith|HostileRecords|HostileTexts|LargeDocuments|MemoryOf|MemoryReturns|MixedSteps|Mutated|NamedForWhat|OwnHistory|RecoverIsRight|ReparseEquals
LARGE_IN = ./analysis ./analysis/jsonsrc ./analysis/provenance ./analysis/schema ./cmd/toolpath-ls ./lsp ./structural

# Everything but the grammars works without cgo.
test/nocgo:
	CGO_ENABLED=0 $(GO) vet ./...
	CGO_ENABLED=0 $(GO) test -vet=off ./structural

# What takes too long for every day: documents cut at every byte, and 100,000 of everything
# that a document may have many of.
test/long:
	TOOLPATH_TEST_AMOUNT=1000000 $(GO) test -timeout 6h -run CutDocuments ./lsp
	TOOLPATH_TEST_MANY=100000 $(GO) test -timeout 2h -run EverythingOfMany ./lsp

lint:
	@unformatted=$$(gofmt -l . | grep -v -e '/testdata/' -e 'node_modules/' -e '^\.tools/'); \
	if [ -n "$$unformatted" ]; then echo "run gofmt -w on:" $$unformatted; exit 1; fi
	$(GO) vet ./...

docs/generate:
	$(GO) generate ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# The tables of docs/accuracy.md about formatters, over all files and not a sample: some
# 2,500 files, a quarter of an hour. Which programs it needs is in .ci/run.
accuracy:
	TOOLPATH_ACCURACY=full $(GO) test -timeout 60m -v -run 'TestFormatterTruth|TestMixedSteps|TestHiddenEdits|TestMemoryReturns' ./structural

# Every fuzz target for FUZZTIME; the seeds alone run with `make test`.
FUZZTIME ?= 20s
fuzz:
	@scripts/fuzz $(FUZZTIME)

clean:
	rm -rf $(BIN) $(DIST)
