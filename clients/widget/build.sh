#!/usr/bin/env bash
# Makes the bundles that the server gives out: internal/ask/widget/dist, by esbuild as tools/go.mod has it. Style sheets
# come first, since the scripts have them as texts. `go generate ./internal/ask/widget` runs this.
set -euo pipefail
cd "$(dirname "$0")/../../tools"
# As all is built: go tool knows no -trimpath, and would compile Go's own packages once more.
program=$(mktemp -d)
trap 'rm -r "$program"' EXIT
go build -o "$program" github.com/evanw/esbuild/cmd/esbuild
from=../clients/widget/src to=../internal/ask/widget/dist

"$program/esbuild" $from/launcher.css $from/style.css --minify --target=chrome123 --outdir=$to --log-level=error
scripts() {
	"$program/esbuild" "$@" --bundle --format=esm --target=es2023 --charset=utf8 --loader:.css=text --outdir=$to --log-level=error
}
scripts $from/frontdesk-ask.js $from/main.js $from/core.js --minify
scripts $from/index.js --external:./main.js # as it is: a bundler reads what is said to it in comments
