#!/usr/bin/env bash
# Starts and stops a PostgreSQL of one's own, for tests: in a directory of its own, on loopback, on a free port, as an
# unprivileged user, and without the care for durability that a real one needs.
#
#   test/postgres.sh start DIR    makes a new server in DIR (which must not exist or be empty) and prints its DSN
#   test/postgres.sh stop DIR     stops it and removes DIR
#
# Run by root it becomes the user postgres, or a system user frontdesk-test that it creates; DIR must then lie where
# that user may go (not below a directory of mode 0700).
set -euo pipefail

fail() {
	echo "postgres.sh: $*" >&2
	exit 1
}

# newest prints the directory with the programs of the newest PostgreSQL, 15 at least.
newest() {
	local initdb dir major best=0 found=
	for initdb in /usr/lib/postgresql/*/bin/initdb "$(command -v initdb || true)"; do
		[ -x "$initdb" ] || continue
		dir=$(dirname "$(readlink -f "$initdb")")
		[ -x "$dir/postgres" ] || continue
		major=$("$initdb" --version | sed 's/[^0-9]*\([0-9]*\).*/\1/')
		if [ "$major" -ge 15 ] && [ "$major" -gt "$best" ]; then
			best=$major found=$dir
		fi
	done
	[ -n "$found" ] || fail "there is no PostgreSQL 15 or newer here (looked for /usr/lib/postgresql/*/bin/initdb and in PATH). On Debian: apt-get install postgresql"
	echo "$found"
}

# user prints whom to run the server as when root calls.
user() {
	local name
	for name in postgres frontdesk-test; do
		if id "$name" >/dev/null 2>&1; then
			echo "$name"
			return
		fi
	done
	useradd --system --no-create-home --shell /usr/sbin/nologin frontdesk-test || fail "cannot create a user to run PostgreSQL as"
	echo frontdesk-test
}

# as_user runs a command as the unprivileged user.
as_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid "$(user)" --regid "$(id -g "$(user)")" --clear-groups -- env HOME="$dir" "$@"
	else
		"$@"
	fi
}

# cluster makes an empty cluster.
cluster() {
	as_user rm -rf "$dir/data"
	as_user "$bin/initdb" --pgdata "$dir/data" --username frontdesk --auth trust --encoding UTF8 --locale C --no-sync "$@" \
		>"$dir/initdb.log" 2>&1
}

# launch tries to start the server on a port, quietly: another program may have taken it.
launch() {
	as_user "$bin/pg_ctl" --pgdata "$dir/data" --log "$dir/log" --wait --timeout 60 --silent \
		--options "-h 127.0.0.1 -p $1 -k ''" start >/dev/null 2>&1
}

start() {
	local port
	umask 077
	if [ -e "$dir" ] && [ -n "$(ls -A "$dir")" ]; then
		fail "$dir is not empty: name a directory of its own for the server"
	fi
	mkdir -p "$dir"
	[ "$(id -u)" != 0 ] || chown "$(user)" "$dir"
	as_user test -w "$dir" || fail "the user $(user) cannot get to $dir: name a place outside of directories that are closed to others, such as /tmp/NAME"
	# A collation other than by bytes shows what forgets to ask for that; not every PostgreSQL is built with ICU.
	cluster --locale-provider icu --icu-locale en-US || cluster || {
		cat "$dir/initdb.log" >&2
		fail "initdb failed"
	}
	cat >>"$dir/data/postgresql.conf" <<-EOF
		fsync = off
		synchronous_commit = off
		full_page_writes = off
		max_connections = 200
		max_locks_per_transaction = 256
		max_pred_locks_per_transaction = 256
		shared_buffers = 64MB
		logging_collector = off
	EOF
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		port=$((20000 + RANDOM % 12000))
		if launch "$port"; then
			echo "postgres://frontdesk@127.0.0.1:$port/postgres?sslmode=disable"
			return
		fi
	done
	cat "$dir/log" >&2
	fail "the server does not start"
}

stop() {
	if [ -e "$dir/data/postmaster.pid" ]; then
		as_user "$bin/pg_ctl" --pgdata "$dir/data" --mode immediate --silent stop >&2 || fail "the server in $dir does not stop"
	fi
	if [ -e "$dir/data/PG_VERSION" ]; then
		rm -rf "$dir"
	fi
}

[ $# = 2 ] || fail "say what to do: start DIR, or stop DIR"
bin=$(newest)
dir=$(realpath -m "$2")
cd / # the server's user may not enter where we are
case $1 in
start | stop) "$1" ;;
*) fail "unknown command $1: start or stop" ;;
esac
