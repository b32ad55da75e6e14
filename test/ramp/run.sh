#!/usr/bin/env bash
# Every message and field of RAMP v1 to another protocol buffer runtime and back. Needs Go, and Node 20 or newer with npm.
# Arguments go to node's test runner.
set -euo pipefail
cd "$(dirname "$0")"

for need in node npm; do
  if ! command -v "$need" >/dev/null; then
    echo "test/ramp: $need is missing. On Debian: apt-get install nodejs npm" >&2
    exit 1
  fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export RAMP_PEER=$scratch/peer RAMP_DESCRIPTORS=$scratch/descriptors.binpb
(cd ../.. && go build -o "$RAMP_PEER" ./test/ramp/peer && go -C tools tool buf build ../proto --as-file-descriptor-set --exclude-source-info -o "$RAMP_DESCRIPTORS")
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
node --test --test-timeout=60000 "$@"
