#!/usr/bin/env bash
# The .proto sources, and what buf makes and says of them. Buf takes nearly as long to compile as the program, so a change
# runs it only where something that it reads or writes changed: proto/checked is the digest of all that, as buf last found
# it fine.
#
#   test/protocol.sh           compares the digest, which every change is checked by
#   test/protocol.sh --whole   runs buf over a copy, whatever the digest says, as the nightly run does
#   test/protocol.sh --write   runs buf, and writes the Go code and the digest, as go generate ./wire/ramp does
set -euo pipefail
cd "$(dirname "$0")/.."

# read_and_written lists the sources, the code made of them, and what says which versions of the tools do that, and how.
read_and_written() {
	find proto wire tools test -type f \( -path 'proto/*' ! -path proto/checked -o -path 'wire/*.pb.go' -o \
		-path 'wire/*.connect.go' -o -path 'tools/go.*' -o -path test/protocol.sh \) | LC_ALL=C sort
}

digest() { read_and_written | xargs -d '\n' sha256sum | sha256sum | cut -d' ' -f1; }

# write lints the sources, holds them against the image of what was published, of which nothing may change, and makes the
# code.
write() {
	(
		cd tools
		go tool buf lint ../proto
		go tool buf format --diff --exit-code ../proto
		go tool buf breaking ../proto --against ../proto/published.binpb
		go tool buf generate ../proto --template ../proto/buf.gen.yaml
	)
	digest >proto/checked
}

case ${1:-} in
--write) write ;;
--whole)
	copy=$(mktemp -d)
	trap 'rm -rf "$copy"' EXIT
	mkdir "$copy/before"
	{ read_and_written && echo proto/checked; } | xargs -d '\n' cp --parents -t "$copy/before"
	cp -r "$copy/before" "$copy/after"
	"$copy/after/test/protocol.sh" --write
	diff -ru "$copy/before" "$copy/after" || {
		echo 'the Go code of the protocol buffers is not current: run go generate ./wire/ramp'
		exit 1
	}
	;;
*)
	[ "$(digest)" = "$(cat proto/checked)" ] || {
		echo 'Protocol buffers, their Go code or the tools changed since buf looked at them: run go generate ./wire/ramp'
		exit 1
	}
	;;
esac
