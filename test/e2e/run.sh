#!/usr/bin/env bash
# Browser tests of the ask page and the sample sites: builds frontdesk, starts it on free ports of the loopback and
# drives Chromium through it. Needs Go, Node 20 or later with npm, and Chromium (Debian: apt-get install nodejs npm
# chromium). Arguments go to node's test runner, for example: test/e2e/run.sh --test-name-pattern=keyboard
#
# FRONTDESK_BINARY    a built binary to test instead
# FRONTDESK_URL       a server that has the sample sites, instead of starting one
# FRONTDESK_CHROMIUM  the browser, if it is not /usr/bin/chromium
# FRONTDESK_PICTURES  a folder for screenshots of what the tests see
set -euo pipefail
cd "$(dirname "$0")"

chromium=${FRONTDESK_CHROMIUM:-/usr/bin/chromium}
for need in node npm "$chromium"; do
  if ! command -v "$need" >/dev/null; then
    echo "test/e2e: $need is missing. On Debian: apt-get install nodejs npm chromium" >&2
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
if [ -n "${FRONTDESK_PICTURES:-}" ]; then
  mkdir -p "$FRONTDESK_PICTURES"
  FRONTDESK_PICTURES=$(realpath "$FRONTDESK_PICTURES")
  export FRONTDESK_PICTURES
fi
node --test --test-concurrency=1 --test-timeout=600000 "$@"
