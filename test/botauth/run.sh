#!/usr/bin/env bash
# Signed requests of agents (Web Bot Auth) against other implementations: theirs are told apart by a running front desk, and its own
# are verified by theirs. Needs Go, openssl, and Node 20 or newer with npm. Arguments go to node's test runner.
set -euo pipefail
cd "$(dirname "$0")"

for need in node npm openssl; do
  if ! command -v "$need" >/dev/null; then
    echo "test/botauth: $need is missing. On Debian: apt-get install nodejs npm openssl" >&2
    exit 1
  fi
done

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export SCRATCH=$scratch
export FRONTDESK=${FRONTDESK_BINARY:-$scratch/frontdesk}
[ -n "${FRONTDESK_BINARY:-}" ] || (cd ../.. && go build -o "$FRONTDESK" ./cmd/frontdesk)
# One certificate for all servers of the tests, which all programs of them trust.
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost \
  -addext 'subjectAltName=DNS:localhost,IP:127.0.0.1' -keyout "$scratch/key.pem" -out "$scratch/cert.pem" 2>/dev/null
export SSL_CERT_FILE=$scratch/cert.pem NODE_EXTRA_CA_CERTS=$scratch/cert.pem
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
node --test --test-timeout=120000 "$@"
