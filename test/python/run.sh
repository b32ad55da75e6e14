#!/usr/bin/env bash
# The Python client (clients/python): its types, the transcripts of clients, and the examples of its README against the built program,
# in a virtual environment with pinned packages. Needs Go, and Python 3.11 or newer with venv. Arguments go to pytest.
#
# FRONTDESK_BINARY    a built binary to test instead
# FRONTDESK_VENV      a folder that keeps the virtual environment from one run to the next
set -euo pipefail
cd "$(dirname "$0")/../../clients/python"

if ! python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
	echo "test/python: Python 3.11 or newer with venv is missing. On Debian: apt-get install python3-venv" >&2
	exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export PYTHONDONTWRITEBYTECODE=1 PIP_DISABLE_PIP_VERSION_CHECK=1
if [ -z "${FRONTDESK_BINARY:-}" ]; then
	(cd ../.. && go build -o "$scratch/frontdesk" ./cmd/frontdesk)
	export FRONTDESK_BINARY=$scratch/frontdesk
fi
venv=${FRONTDESK_VENV:-$scratch/venv}
python3 -m venv "$venv"
"$venv/bin/pip" install --quiet --no-deps -r tests/requirements.txt # all of them are pinned there
"$venv/bin/pip" install --quiet --no-deps --no-build-isolation --force-reinstall . # as its users do
(cd "$scratch" && "$venv/bin/mypy" --strict --cache-dir "$scratch/mypy" -c 'import frontdesk.ramp; frontdesk.Desk("").answer("soup", limit=3)')
"$venv/bin/mypy" --cache-dir "$scratch/mypy"
"$venv/bin/python" -m pytest --basetemp "$scratch/tests" "$@"
