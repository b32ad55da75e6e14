#!/usr/bin/env bash
# Frontdesk's MCP door against other people's programs: the official conformance suite against the everything build
# (test/mcp/everything, with expected-failures.yml), and the TypeScript SDK's clients and the inspector's command line
# against the real program, over HTTP and over standard input and output. Needs Go, and Node with npm; a Node older than
# 22 gets a newer one from npm, for these tests alone. Arguments go to node's test runner.
#
# FRONTDESK_BINARY    a built binary to test instead
set -euo pipefail
cd "$(dirname "$0")"

for need in node npm; do
  if ! command -v "$need" >/dev/null; then
    echo "test/mcp: $need is missing. On Debian: apt-get install nodejs npm" >&2
    exit 1
  fi
done

scratch=$(mktemp -d)
everything=
cleanup() {
  [ -z "$everything" ] || kill "$everything" 2>/dev/null || true
  rm -rf "$scratch"
}
trap cleanup EXIT
(cd ../.. && go build -o "$scratch/everything" ./test/mcp/everything)
if [ -z "${FRONTDESK_BINARY:-}" ]; then
  (cd ../.. && go build -o "$scratch/frontdesk" ./cmd/frontdesk)
  export FRONTDESK_BINARY=$scratch/frontdesk
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
if [ "$(node --version | sed 's/v\([0-9]*\).*/\1/')" -lt 22 ]; then
  npm rebuild node --loglevel=error >/dev/null # the one package whose script is needed: it brings the program
  export NODE_OPTIONS="${NODE_OPTIONS:-} --use-system-ca"
fi
export PATH=$PWD/node_modules/.bin:$PATH
export HOME=$scratch # where the inspector keeps what it remembers

mkfifo "$scratch/address"
"$scratch/everything" -listen 127.0.0.1:0 >"$scratch/address" &
everything=$!
read -r address <"$scratch/address"
conformance server --url "$address" --suite all --expected-failures expected-failures.yml --output-dir "$scratch/results" >"$scratch/conformance" 2>&1 || {
  cat "$scratch/conformance"
  exit 1
}
sed -n '/^=== SUMMARY/,$p' "$scratch/conformance"

node --test --test-concurrency=1 --test-timeout=60000 "$@"
