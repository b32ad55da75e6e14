#!/usr/bin/env bash
# Biscuit tokens against the official library in WebAssembly: every class of statement both ways, every class of broken
# token, made-up tokens on which both have to say the same, and purchases at a running front desk. Needs Go, and Node 20 or newer with npm.
#
#   test/biscuit/run.sh                   the tests, with a short form of the made-up tokens; arguments go to node's test runner
#   test/biscuit/run.sh --fuzz 100000 1   the long form: how many tokens, from which seed on
set -euo pipefail
cd "$(dirname "$0")"

for need in node npm; do
  if ! command -v "$need" >/dev/null; then
    echo "test/biscuit: $need is missing. On Debian: apt-get install nodejs npm" >&2
    exit 1
  fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export BISCUIT_PEER=$scratch/peer
export FRONTDESK=${FRONTDESK_BINARY:-$scratch/frontdesk}
(cd ../.. && go build -o "$BISCUIT_PEER" ./test/biscuit/peer && { [ -n "${FRONTDESK_BINARY:-}" ] || go build -o "$FRONTDESK" ./cmd/frontdesk; })
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
if [ "${1:-}" = --fuzz ]; then
  shift
  node fuzz.mjs "$@"
else
  node --test --test-timeout=120000 "$@"
fi
