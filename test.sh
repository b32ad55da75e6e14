#!/usr/bin/env bash
# Runs every test of Frontdesk, on a fresh Debian machine with Go and nothing else.
#
#   ./test.sh            every test, each suite within its time budget
#   ./test.sh --race     the same, and before it the short tests under the race detector
#   ./test.sh --only P   only what is in test/P, such as kill or e2e
#   ./test.sh --quick    go test -short: no database server, no browser, nothing to install
#
# The tests need a C compiler (for the race detector), PostgreSQL 15 or newer, Chromium, Node, npm, curl, openssl, nginx and Caddy. As root
# this script installs what is missing with apt; as anyone else it says what is missing and stops. It starts a PostgreSQL
# of its own, as an unprivileged user, on loopback, in a directory of its own, and always stops it.
#
# A part that could not run is a failure: the tests fail rather than skip (FRONTDESK_TEST_ALL=1), and a skip that
# test/allowed-skips.txt does not name fails the run. How the tests are ordered: docs/testing.md.
set -euo pipefail
cd "$(dirname "$0")"

race= quick= only=
while [ $# -gt 0 ]; do
	case $1 in
	--race) race=1 ;;
	--quick) quick=1 ;;
	--only)
		only=${2:?--only needs the name of a package under test/}
		shift
		;;
	-h | --help)
		sed -n '2,/^set /{s/^# \{0,1\}//;/^set /!p}' "$0"
		exit 0
		;;
	*)
		echo "unknown flag $1; ./test.sh --help lists them" >&2
		exit 2
		;;
	esac
	shift
done

if [ -n "$quick" ]; then
	exec go test -short ./...
fi

# --- What the tests need -------------------------------------------------------------------------------------------

have() { command -v "$1" >/dev/null 2>&1; }

have_postgres() {
	local initdb major
	for initdb in "$(command -v initdb || true)" /usr/lib/postgresql/*/bin/initdb; do
		[ -x "$initdb" ] || continue
		major=$("$initdb" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
		[ "$major" -ge 15 ] && return 0
	done
	return 1
}

# missing prints the Debian packages that the tests need and that are not there.
missing() {
	have gcc || echo gcc libc6-dev
	have_postgres || echo postgresql
	have chromium || have google-chrome || echo chromium
	have node || echo nodejs
	have npm || echo npm
	have curl || echo curl
	have openssl || echo openssl
	have nginx || echo nginx
	have caddy || echo caddy
}

install_missing() {
	local packages
	packages=$(missing | xargs)
	[ -n "$packages" ] || return 0
	if [ "$(id -u)" != 0 ] || ! have apt-get; then
		echo "The tests need what is not here. On Debian, as root: apt-get install $packages" >&2
		exit 1
	fi
	echo "installing $packages"
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq
	if [[ " $packages " == *" postgresql "* ]]; then
		# The tests start a server of their own: none for the system.
		apt-get install -y -qq --no-install-recommends postgresql-common >/dev/null
		echo 'create_main_cluster = false' >>/etc/postgresql-common/createcluster.conf
	fi
	# shellcheck disable=SC2086 # a list of packages
	apt-get install -y -qq --no-install-recommends $packages >/dev/null
	local server
	for server in nginx caddy; do
		if [[ " $packages " == *" $server "* ]] && have systemctl; then
			systemctl disable --now "$server" >/dev/null 2>&1 || true # the tests start their own
		fi
	done
	packages=$(missing | xargs)
	[ -z "$packages" ] || {
		echo "still missing after the installation: $packages" >&2
		exit 1
	}
}

if ! have go; then
	echo "The tests need Go, of the version that go.mod names or newer." >&2
	exit 1
fi
install_missing

work=$(mktemp -d "${TMPDIR:-/tmp}/frontdesk-test.XXXXXX")
chmod 755 "$work" # the database server runs as another user
cleanup() {
	trap - EXIT
	[ ! -d "$work/postgres" ] || ./test/postgres.sh stop "$work/postgres" || true
	rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# The browser's driver needs Node 20. Debian 12 has 18: a newer one comes from npm, for this run alone.
if [ "$(node --version | sed 's/v\([0-9]*\).*/\1/')" -lt 20 ]; then
	echo "Node $(node --version) is too old for the browser tests; taking a newer one from npm"
	npm install --prefix "$work/node" --no-audit --no-fund --loglevel=error node@22
	export PATH=$work/node/node_modules/.bin:$PATH
	export NODE_OPTIONS="${NODE_OPTIONS:-} --use-system-ca" # certificates: what Debian's own Node does
fi

# --- A PostgreSQL of our own ---------------------------------------------------------------------------------------

FRONTDESK_TEST_POSTGRES=$(./test/postgres.sh start "$work/postgres")
export FRONTDESK_TEST_POSTGRES
export FRONTDESK_TEST_ALL=1

# --- The suites ----------------------------------------------------------------------------------------------------

go build -o "$work/report" ./test/report
failed=()

# suite NAME BUDGET GO-TEST-ARGUMENTS runs one suite. The budget is the time for the whole suite, and for each test
# binary in it: go test ends a binary that hangs, and shows where.
suite() {
	local name=$1 budget=$2 status
	shift 2
	printf '\n== %s (budget %s)\n' "$name" "$budget"
	set +e
	go "${go_flags[@]}" test -json -count=1 -timeout="$budget" "$@" |
		"$work/report" -suite "$name" -budget "$budget" -summary "$work/summary" -failures "$work/failures" \
			"${report_flags[@]}"
	status=("${PIPESTATUS[@]}")
	set -e
	if [ "${status[0]}" != 0 ] || [ "${status[1]}" != 0 ]; then
		failed+=("$name")
	fi
}

# node_suite NAME BUDGET SCRIPT runs tests that are written for node, and holds that some ran and none was skipped.
node_suite() {
	local name=$1 budget=$2 script=$3
	printf '\n== %s (budget %s)\n' "$name" "$budget"
	if ! timeout "$budget" "$script" --test-reporter=spec 2>&1 | tee "$work/$name" ||
		grep -q '^ℹ pass 0$' "$work/$name" || ! grep -q '^ℹ skipped 0$' "$work/$name"; then
		failed+=("$name")
	fi
	echo "$name: $(grep '^ℹ' "$work/$name" | grep -v ' 0$' | tr -d 'ℹ' | xargs)" >>"$work/summary"
}

browser() { node_suite browser 10m test/e2e/run.sh; } # the pages
mcp() { node_suite mcp 5m test/mcp/run.sh; }         # other people's clients of MCP, and the official suite
ramp() { node_suite ramp 8m test/ramp/run.sh; }      # RAMP's messages and RPCs against others' programs
biscuit() { node_suite biscuit 5m test/biscuit/run.sh; } # delegation tokens against the official library

rooms=(./internal/... ./wire/... ./client/... ./cmd/...)
# The rooms whose tests run on whichever engine they are told to: once on SQLite with all others, once on PostgreSQL.
mapfile -t above_store < <(grep -rl --include='*_test.go' 'storetest\.Chosen(' internal | xargs -n 1 dirname | sort -u | sed 's|^|./|')
go_flags=()

report_flags=(-allowed test/allowed-skips.txt)
if [ "$only" = e2e ]; then
	browser
elif [ "$only" = mcp ]; then
	mcp
elif [ "$only" = ramp ]; then
	ramp
elif [ "$only" = biscuit ]; then
	biscuit
elif [ -n "$only" ]; then
	suite "$only" 4h "./test/$only"
elif [ -n "$race" ]; then
	# The pure Go SQLite is about ten times slower under the race detector: long tests stay out (-short), and run in
	# the suites below.
	report_flags=() # any test may skip here
	suite 'rooms, race detector' 35m -race -short "${rooms[@]}"
	FRONTDESK_TEST_RACE=1 suite 'protocol, race detector' 5m -short ./test/conformance
	report_flags=(-allowed test/allowed-skips.txt)
fi

if [ -z "$only" ]; then
	suite 'rooms' 20m "${rooms[@]}"
	FRONTDESK_TEST_ENGINE=postgres suite 'rooms on PostgreSQL' 20m "${above_store[@]}"
	suite 'black box' 30m -p 1 ./test/...
	browser
	mcp
	ramp
	biscuit
	go_flags=(-C bench)
	suite 'bench' 3m ./...
fi

printf '\n== all suites, after %dm%02ds\n' $((SECONDS / 60)) $((SECONDS % 60))
cat "$work/summary"
if [ ${#failed[@]} -gt 0 ]; then
	cat "$work/failures" 2>/dev/null || true
	printf 'FAILED suite: %s\n' "${failed[@]}"
	exit 1
fi
echo 'All suites passed.'
