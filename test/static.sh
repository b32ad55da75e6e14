#!/usr/bin/env bash
# What can be said of the tree without running its tests: formatting, vet, linter, module files, generated files and
# whether buf has looked at the protocol buffers. Each check runs, whatever the others found. test.sh runs this as its
# first suite.
set -euo pipefail
cd "$(dirname "$0")/.."

# Compiler and linter take memory rather than time: they collect garbage less often.
export GOGC=400 GOMEMLIMIT=3GiB

modules=(. bench test/interop tools)
failed=()

# check NAME COMMAND... runs one check and goes on when it fails, so that one run tells everything.
check() {
	local name=$1 began=$SECONDS
	shift
	if "$@"; then
		printf '%s: fine, %d s\n' "$name" $((SECONDS - began))
	else
		printf '%s: FAILED, %d s\n' "$name" $((SECONDS - began))
		failed+=("$name")
	fi
}

ours() { # the files of the tree, committed or about to be
	git ls-files -co --exclude-standard -- "$@" | while read -r file; do [ ! -e "$file" ] || echo "$file"; done
}

formatting() {
	local wrong
	wrong=$(ours '*.go' | xargs gofmt -l)
	[ -z "$wrong" ] || {
		printf 'not formatted; run gofmt -w on:\n%s\n' "$wrong"
		return 1
	}
	ours '*.sh' .ci/run | xargs -n 1 bash -n
}

vet() {
	go vet ./... && go -C bench vet ./... && go -C test/interop vet ./...
}

# systems looks whether the packages are whole on each system that a release is made for; the nightly run builds them.
systems() {
	local system
	for system in linux darwin windows; do
		GOOS=$system go list -deps ./cmd/frontdesk >/dev/null || return 1
	done
}

# lint builds the linter as all is built: go tool knows no -trimpath, and would compile Go's own packages once more.
lint() {
	local program status=0
	program=$(mktemp -d)
	go -C tools build -o "$program" honnef.co/go/tools/cmd/staticcheck &&
		"$program/staticcheck" ./... && (cd bench && "$program/staticcheck" ./...) &&
		(cd test/interop && "$program/staticcheck" ./...) || status=1
	rm -r "$program"
	return $status
}

tidy() {
	local module
	for module in "${modules[@]}"; do
		go -C "$module" mod tidy -diff || {
			echo "go.mod or go.sum of $module is not current: run go -C $module mod tidy"
			return 1
		}
		go -C "$module" list -m all >/dev/null || return 1
	done
}

# generated makes generated files anew in a copy of the tree, and compares. It leaves out the pages of docs/reference, which
# test/reference makes and compares, and what is made of protocol buffers. Without paths, what was compiled of the tree
# serves its copy.
generated() {
	local copy
	copy=$(mktemp -d)
	mkdir "$copy/before"
	ours | xargs -d '\n' cp --parents -t "$copy/before"
	cp -r "$copy/before" "$copy/after"
	(cd "$copy/after" && GOFLAGS="$(go env GOFLAGS) -trimpath" go generate -skip 'go (generate|test) |protocol' ./...) && diff -ru "$copy/before" "$copy/after" || {
		echo 'generated files are not current: run go generate ./...'
		rm -rf "$copy"
		return 1
	}
	rm -rf "$copy"
}

check 'formatting' formatting
check 'vet' vet
check 'systems' systems
check 'linter' lint
check 'module files' tidy
check 'generated files' generated
check 'protocol buffers' test/protocol.sh

[ ${#failed[@]} = 0 ] || {
	echo "FAILED: ${failed[*]}"
	exit 1
}
