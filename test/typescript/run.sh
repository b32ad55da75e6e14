#!/usr/bin/env bash
# The TypeScript client (clients/typescript): its types, the transcripts of clients, and the examples of its README against the built
# program. Needs Go, and Node 20 or newer with npm. Arguments go to node's test runner.
set -euo pipefail
cd "$(dirname "$0")/../../clients/typescript"

for need in node npm; do
  if ! command -v "$need" >/dev/null; then
    echo "test/typescript: $need is missing. On Debian: apt-get install nodejs npm" >&2
    exit 1
  fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ -z "${FRONTDESK_BINARY:-}" ]; then
  (cd ../.. && go build -o "$scratch/frontdesk" ./cmd/frontdesk)
  export FRONTDESK_BINARY=$scratch/frontdesk
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
npm run --silent check
npm run --silent build
node --test --test-timeout=120000 "$@" test/*.test.mjs
