# What a contributor runs. `make demo` shows the program at work, `make test` tests everything.

GO ?= go

.PHONY: build demo test test/formatters test/nocgo test/large test/long lint docs/generate bench fuzz clean

# bin/toolpath-ls is also where the editor plugins of this checkout look for the server.
build:
	$(GO) build -o bin/toolpath-ls ./cmd/toolpath-ls

demo: build
	@scripts/demo

# Passes with Go, gcc and git alone. What needs another program is skipped by name; see .ci/run.
test: lint test/formatters test/large test/nocgo
	$(GO) test -race -timeout 25m ./...

# What is measured with formatters that run, on a sample, and memory: without the race detector.
test/formatters:
	$(GO) test -run 'TestFormatterTruth|TestMixedSteps|TestMemoryReturns' ./structural

# Everything but the grammars works without cgo.
test/nocgo:
	CGO_ENABLED=0 $(GO) vet ./...
	CGO_ENABLED=0 $(GO) test ./structural

# Very many and very large documents: too much for the race detector, under which the same
# tests try few of them.
test/large:
	$(GO) test -run 'Mutated|CutDocuments|ManySteps|WorkGrows' ./analysis/schema ./lsp

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
	rm -rf bin
