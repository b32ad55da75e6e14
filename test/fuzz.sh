#!/usr/bin/env bash
# Runs every fuzz target of the module for a while, one after the other. It finds the targets itself, so a new one
# needs no entry anywhere.
#
#   test/fuzz.sh          the short form, 5 seconds each (.ci/run does this)
#   test/fuzz.sh 10m      the long form, before a release
#   test/fuzz.sh 1h strictjson    only targets of packages whose path contains this word
#
# An input that fails is written under the package's testdata/fuzz: commit it with the repair.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-5s}
only=${2:-}

# go test -list prints the names of a package's targets, and then a line about the package.
targets=$(go test -list '^Fuzz' ./... | awk '/^Fuzz/ {names[n++] = $1} /^ok/ {for (i = 0; i < n; i++) print $2, names[i]; n = 0}')
[ -n "$targets" ] || {
	echo "no fuzz target found: the listing is broken" >&2
	exit 1
}

fuzz() {
	go test -run='^$' -fuzz="^$2\$" -fuzztime="$seconds" "$1" 2>&1
}

count=0
failed=()
while read -r package name; do
	[[ $package == *"$only"* ]] || continue
	count=$((count + 1))
	# The fuzzer at times reports the end of its own time as a failure; one that found an input says so.
	if ! output=$(fuzz "$package" "$name"); then
		if [[ $output == *"Failing input"* || $output != *"context deadline exceeded"* ]] || ! output=$(fuzz "$package" "$name"); then
			printf '%s\n' "$output"
			failed+=("$package $name")
		fi
	fi
	printf 'fuzz %s %s: %s\n' "$package" "$name" "$(grep -o 'execs: [0-9]*' <<<"$output" | tail -n 1)"
done <<<"$targets"
if [ ${#failed[@]} -gt 0 ]; then
	printf 'FAILED %s\n' "${failed[@]}"
	exit 1
fi
echo "$count fuzz targets, $seconds each: nothing found."
