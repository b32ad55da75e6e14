#!/usr/bin/env bash
# Runs the tests of Frontdesk, on a fresh Debian machine with Go and nothing else.
#
#   ./test.sh                    what every change is checked by; .ci/run is the same
#   ./test.sh --nightly          everything else: long forms, kills, load, all of the race detector, fuzzing, packaging
#   ./test.sh --part night,fuzz  parts of the nightly run, or suites, by name
#   ./test.sh --list             the suites with their budgets
#   ./test.sh --resume ...       leaves out what passed already on this commit, on this machine
#   ./test.sh --quick            go test -short: no database server, no browser, nothing to install
#
# The tests need a C compiler (for the race detector), PostgreSQL 15 or newer, Chromium, Node, npm, Python 3.11 or newer
# with venv, curl, openssl, nginx and Caddy. As root
# this script installs what is missing with apt; as anyone else it says what is missing and stops. It starts a PostgreSQL
# of its own, as an unprivileged user, on loopback, in a directory of its own, and always stops it.
#
# A part that could not run is a failure: the tests fail rather than skip (FRONTDESK_TEST_ALL=1), and a skip that
# test/allowed-skips.txt does not name fails the run. What runs when: docs/testing.md.
set -euo pipefail
cd "$(dirname "$0")"

case ${1:-} in
--quick)
	go test -short ./...
	exec go -C test/interop test -short ./...
	;;
--list) exec go run ./test/suites -list ;;
-h | --help)
	sed -n '2,/^set /{s/^# \{0,1\}//;/^set /!p}' "$0"
	exit 0
	;;
esac

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
	python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || echo python3-venv
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

# All is compiled in one way, that of build.sh: without C and without paths. What one suite has compiled serves the next
# wherever the tree lies, and the programs that are tested are those of a release. The linter keeps what it learns of
# libraries where Go keeps what it compiles.
export CGO_ENABLED=0 GOFLAGS="${GOFLAGS:-} -trimpath"
STATICCHECK_CACHE=${STATICCHECK_CACHE:-$(go env GOCACHE)/staticcheck}
export STATICCHECK_CACHE

# --- A PostgreSQL of our own ---------------------------------------------------------------------------------------

FRONTDESK_TEST_POSTGRES=$(./test/postgres.sh start "$work/postgres")
export FRONTDESK_TEST_POSTGRES
export FRONTDESK_TEST_ALL=1

# --- The suites ----------------------------------------------------------------------------------------------------

go build -o "$work/suites" ./test/suites
"$work/suites" "$@"
