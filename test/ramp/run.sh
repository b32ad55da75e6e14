#!/usr/bin/env bash
# RAMP v1 against others' programs: every message and field to another protocol buffer runtime and back, and the RPCs of the
# running binary with curl, grpcurl, buf curl and the Connect client for Node. Needs Go, curl, and Node 20 or newer with npm.
# Arguments go to node's test runner.
set -euo pipefail
cd "$(dirname "$0")"

for need in node npm curl; do
  if ! command -v "$need" >/dev/null; then
    echo "test/ramp: $need is missing. On Debian: apt-get install nodejs npm curl" >&2
    exit 1
  fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export RAMP_PEER=$scratch/peer RAMP_DESCRIPTORS=$scratch/descriptors.binpb RAMP_FRONTDESK=${FRONTDESK_BINARY:-$scratch/frontdesk}
RAMP_GRPCURL=$(go -C ../../tools tool -n grpcurl)
RAMP_BUF=$(go -C ../../tools tool -n buf)
export RAMP_GRPCURL RAMP_BUF
(cd ../.. && go build -o "$RAMP_PEER" ./test/ramp/peer && { [ -n "${FRONTDESK_BINARY:-}" ] || go build -o "$RAMP_FRONTDESK" ./cmd/frontdesk; } && go -C tools tool buf build ../proto --as-file-descriptor-set --exclude-source-info -o "$RAMP_DESCRIPTORS")
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
node --test --test-timeout=60000 "$@"
