#!/usr/bin/env bash
# Runs every fuzz target of the tree for a while. It finds the targets itself, so a new one needs no entry anywhere.
#
#   test/fuzz.sh          the short form, 2 seconds each
#   test/fuzz.sh 10m      the long form, before a release; the nightly run has 20s
#   test/fuzz.sh 1h strictjson    only targets of packages whose path contains this word
#
# Each package's test binary is built once, and as many packages as there are cores are fuzzed side by side, each target by one
# worker. An input that is worth keeping is made smaller by at most a hundred executions: the fuzzer's own minute for each took
# all the time of targets with long seeds. An input that fails is written under the package's testdata/fuzz: commit it with the
# repair.
set -euo pipefail
cd "$(dirname "$0")/.."
export FUZZ_SECONDS=${1:-2s}
only=${2:-}

FUZZ_WORK=$(mktemp -d)
FUZZ_KEPT=$FUZZ_WORK/kept
if [ $# -gt 0 ]; then # go on from inputs that earlier runs found worth keeping; to run them all takes longer than the short form
	FUZZ_KEPT=$(go env GOCACHE)/fuzz
fi
export FUZZ_WORK FUZZ_KEPT
trap 'rm -rf "$FUZZ_WORK"' EXIT

# fuzz BINARY PACKAGE NAME runs one target, in the package's folder.
fuzz() {
	"$1" -test.run='^$' -test.fuzz="^$3\$" -test.fuzztime="$FUZZ_SECONDS" -test.fuzzminimizetime=100x -test.parallel=1 \
		-test.fuzzcachedir="$FUZZ_KEPT/$2" 2>&1
}

# only_out_of_time NAME OUTPUT says whether a target that failed says nothing but that its own time is over, which fuzzers before
# Go 1.27 at times report as a failure (golang/go#75804). Whatever else there is makes it a finding.
only_out_of_time() {
	[ "$(grep -v '^fuzz: elapsed: ' <<<"$2" | sed -E '1s/ \([0-9.]+s\)$//')" = "--- FAIL: $1"$'\n    context deadline exceeded\nFAIL' ]
}

# fuzz_package FOLDER runs the targets of one package, and notes each with what came of it.
fuzz_package() {
	local binary package name names output
	package=$(go -C "$1" list)
	binary=$FUZZ_WORK/${package//\//-}.test
	if ! output=$(go -C "$1" test -c -fuzz=. -o "$binary" 2>&1) || ! names=$(cd "$1" && "$binary" -test.list='^Fuzz'); then
		printf '%s\n' "$output"
		echo "$package" >>"$FUZZ_WORK/failed"
		return
	fi
	for name in $names; do
		echo "$package $name" >>"$FUZZ_WORK/ran"
		if ! output=$(cd "$1" && fuzz "$binary" "$package" "$name") && ! only_out_of_time "$name" "$output"; then
			printf '%s\n' "$output"
			echo "$package $name" >>"$FUZZ_WORK/failed"
		fi
		printf 'fuzz %s %s: %s\n' "$package" "$name" "$(grep -o 'execs: [0-9]*' <<<"$output" | tail -n 1)"
	done
	rm -f "$binary"
}
export -f fuzz only_out_of_time fuzz_package

# Packages with many targets go first, so that none is left to run alone at the end.
grep -rcE --include='*_test.go' '^func Fuzz[A-Z0-9_]' . | awk -F: -v only="$only" '
	$2 > 0 { sub("/[^/]*$", "", $1); if (index($1, only)) count[$1] += $2 }
	END { for (folder in count) print count[folder], folder }' | sort -rn >"$FUZZ_WORK/packages"
wanted=$(awk '{ n += $1 } END { print n + 0 }' "$FUZZ_WORK/packages")
cut -d' ' -f2 "$FUZZ_WORK/packages" | xargs -P "$(nproc)" -I{} bash -c 'fuzz_package {}'

ran=$(cat "$FUZZ_WORK/ran" 2>/dev/null | wc -l)
if [ -s "$FUZZ_WORK/failed" ]; then
	sed 's/^/FAILED /' "$FUZZ_WORK/failed"
	exit 1
fi
if [ "$ran" = 0 ] || [ "$ran" != "$wanted" ]; then
	echo "$ran of $wanted fuzz targets ran: the listing is broken" >&2
	exit 1
fi
echo "$ran fuzz targets, $FUZZ_SECONDS each: nothing found."
