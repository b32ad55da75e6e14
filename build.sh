#!/usr/bin/env bash
# Builds the one binary of Frontdesk: static, the same bytes for the same commit wherever and whenever it is built.
#
#   ./build.sh                          for this machine: dist/frontdesk
#   ./build.sh linux/amd64 linux/arm64  for others: dist/frontdesk-linux-amd64 ...
#   ./build.sh --release URL            all of a release, for six targets, in dist/release: see packaging/release.sh
#   ./build.sh --check                  builds twice, in two folders, the second time with nothing compiled before, and compares
#
# It needs the version of Go that go.mod names or newer; the same version of Go gives the same bytes. Outside of a git
# clone it takes VERSION, COMMIT and BUILT (the commit's time) from the environment. dist/SHA256SUMS has the hashes.
set -euo pipefail
cd "$(dirname "$0")"
if [ "${1:-}" = --release ]; then
	shift
	exec packaging/release.sh "$@"
fi

# What the binary says of itself (internal/infra/build). The version is the tag of the commit, or made as Go makes one for
# a commit without.
if git rev-parse --git-dir >/dev/null 2>&1; then
	COMMIT=$(git rev-parse HEAD)
	BUILT=$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y-%m-%dT%H:%M:%SZ)
	VERSION=$(git describe --tags --exact-match --match 'v[0-9]*' 2>/dev/null ||
		echo "v0.0.0-$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d%H%M%S)-${COMMIT:0:12}")
	[ -z "$(git status --porcelain)" ] || COMMIT+=+changes
fi
: "${VERSION:=v0.0.0}" "${COMMIT:=unknown}" "${BUILT:=}"

# build SOURCE OUT builds the program in a folder. What could differ between machines is pinned: no C, no paths, no
# build id, the plainest instructions of each processor, and no settings of whoever builds.
build() {
	(
		cd "$1"
		unset GOFLAGS GOEXPERIMENT GODEBUG GOFIPS140 GOAMD64 GOARM64
		export CGO_ENABLED=0 GOENV=off GOWORK=off GOPROXY GOSUMDB GONOSUMDB GONOSUMCHECK GOPRIVATE GONOPROXY GOINSECURE
		go build -trimpath -buildvcs=false -mod=readonly -o "$2" -ldflags "-s -w -buildid= \
			-X frontdesk/internal/infra/build.version=$VERSION -X frontdesk/internal/infra/build.commit=$COMMIT -X frontdesk/internal/infra/build.built=$BUILT" \
			./cmd/frontdesk
	)
}

# Where modules come from is the builder's own affair: their hashes are in go.sum.
GOPROXY=$(go env GOPROXY) GOSUMDB=$(go env GOSUMDB) GONOSUMDB=$(go env GONOSUMDB) GONOSUMCHECK= GOPRIVATE=$(go env GOPRIVATE)
GONOPROXY=$(go env GONOPROXY) GOINSECURE=$(go env GOINSECURE)

if [ "${1:-}" = --check ]; then
	work=$(mktemp -d "${TMPDIR:-/tmp}/frontdesk-build.XXXXXX")
	trap 'rm -rf "$work"' EXIT
	for n in 1 2; do
		mkdir -p "$work/$n/in/folder/$n"
		git ls-files -co --exclude-standard | while read -r file; do [ ! -e "$file" ] || echo "$file"; done |
			xargs -d '\n' cp --parents -t "$work/$n/in/folder/$n"
		[ $n = 1 ] || export GOCACHE=$work/cache
		build "$work/$n/in/folder/$n" "$work/$n/frontdesk"
	done
	sha256sum "$work"/?/frontdesk
	cmp "$work/1/frontdesk" "$work/2/frontdesk" || {
		echo 'two builds of the same source differ' >&2
		exit 1
	}
	if ldd "$work/1/frontdesk" >/dev/null 2>&1; then
		echo 'the binary is not static' >&2
		exit 1
	fi
	"$work/1/frontdesk" version
	"$work/1/frontdesk" version | grep -q "^commit ${COMMIT%+changes}" || {
		echo 'the binary does not know its commit' >&2
		exit 1
	}
	echo 'The same bytes twice.'
	exit
fi

mkdir -p dist
rm -f dist/frontdesk-* dist/SHA256SUMS
[ $# -gt 0 ] || build . "$PWD/dist/frontdesk"
for target; do
	[[ $target == */* ]] || {
		echo "unknown target $target; write it like linux/arm64" >&2
		exit 2
	}
	GOOS=${target%/*} GOARCH=${target#*/} build . "$PWD/dist/frontdesk-${target/\//-}"
done
(cd dist && sha256sum frontdesk* >SHA256SUMS && cat SHA256SUMS)
