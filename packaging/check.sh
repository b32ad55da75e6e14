#!/usr/bin/env bash
# Checks what Frontdesk is installed with: systemd understands the units and finds little exposed; a release of this machine's
# target is whole: its archive, its Debian package, and its image, which is run and asked.
#
#   packaging/check.sh                            what every change is checked by
#   packaging/check.sh --whole [os/arch ...]      a release of these targets, too, with its formula; the binary is the same
#                                                 bytes twice; and the image that packaging/Containerfile makes by itself
#
# As root on Debian it installs what it needs (systemd, buildah, zip); as anyone else it says what is missing and stops.
set -euo pipefail
cd "$(dirname "$0")/.."

whole=
[ "${1:-}" != --whole ] || {
	whole=yes
	shift
}
missing=()
command -v systemd-analyze >/dev/null || missing+=(systemd)
command -v buildah >/dev/null || missing+=(buildah)
command -v curl >/dev/null || missing+=(curl)
command -v zip >/dev/null || missing+=(zip)
command -v dpkg-deb >/dev/null || missing+=(dpkg)
if [ ${#missing[@]} -gt 0 ]; then
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		echo "This check needs what is not here. On Debian, as root: apt-get install ${missing[*]}" >&2
		exit 1
	fi
	export DEBIAN_FRONTEND=noninteractive
	apt-get update -qq && apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/frontdesk-packaging.XXXXXX")
server=
cleanup() {
	trap - EXIT
	[ -z "$server" ] || kill "$server" 2>/dev/null || true
	build rm --all >/dev/null 2>&1 || true
	rm -rf "$work"
}
build() { buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"; }
trap cleanup EXIT

if [ "$whole" ]; then
	echo '--- the binary'
	./build.sh --check
fi

echo '--- the units'
mkdir "$work/units"
for unit in packaging/*.service packaging/*.socket; do # systemd looks whether the program is there
	sed 's|/usr/local/bin/frontdesk|/bin/true|' "$unit" >"$work/units/$(basename "$unit")"
done
said=$(systemd-analyze verify "$work"/units/* 2>&1) && [ -z "$said" ] || {
	echo "systemd does not take the units as they are: $said" >&2
	exit 1
}
systemd-analyze security --offline=true --threshold=20 packaging/frontdesk.service | tail -1

mkdir "$work/content"
cat >"$work/content/soup.json" <<'JSON'
{"@type": "Recipe", "name": "Lentil soup of the image", "url": "https://example.com/soup"}
JSON
chmod -R a+rX "$work" "$work/content"
port=18437
# ask CONTAINER runs the program of a container, and asks it.
ask() {
	local user
	build run --isolation chroot -v "$work/content:/content:ro" "$1" -- \
		/usr/bin/frontdesk serve --listen "127.0.0.1:$port" --metrics-listen off /content >"$work/log" 2>&1 &
	server=$!
	curl -sS --fail --retry 60 --retry-delay 1 --retry-all-errors -o /dev/null "http://127.0.0.1:$port/readyz" 2>/dev/null || {
		cat "$work/log"
		exit 1
	}
	curl -sS --fail "http://127.0.0.1:$port/ask" -H 'Content-Type: application/json' -d '{"query": {"text": "lentil soup"}}' | grep -q 'Lentil soup of the image' || {
		echo 'the image does not answer from the content it was given' >&2
		exit 1
	}
	user=$(ps -eo uid=,args= | awk '$2 == "/usr/bin/frontdesk" {print $1}')
	[ "$user" = 65532 ] || {
		echo "the image's program runs as user '$user', not as 65532" >&2
		exit 1
	}
	pkill -TERM -u 65532 -f "^/usr/bin/frontdesk serve --listen 127.0.0.1:$port"
	wait "$server" || {
		echo "the image's program did not end in good order" >&2
		cat "$work/log"
		exit 1
	}
	server=
	echo 'The image answers, as a user without rights, and stops in good order.'
}

echo '--- the release'
own=linux/$(go env GOARCH)
packaging/release.sh https://releases.example.com/files "$own" "$@" >/dev/null
release=$PWD/dist/release
(cd "$release" && sha256sum --quiet -c SHA256SUMS)
version=$(dist/frontdesk version | sed -n '1s/^frontdesk v\?//p')
# says COMMAND... demands that a program from the release tells its version.
says() { "$@" version | grep -q "^frontdesk v$version" || { echo "$* is not frontdesk v$version" >&2; exit 1; }; }
mkdir "$work/archive" "$work/deb"
tar -xzf "$release/frontdesk-$version-linux-${own#*/}.tar.gz" -C "$work/archive" --strip-components=1
says "$work/archive/frontdesk"
dpkg-deb -x "$release/frontdesk_${version}_${own#*/}.deb" "$work/deb"
says "$work/deb/usr/bin/frontdesk"
"$work/deb/usr/bin/frontdesk" config check "$work/deb/etc/frontdesk/frontdesk.yaml" >/dev/null
grep -q '^ExecStart=/usr/bin/frontdesk' "$work/deb/usr/lib/systemd/system/frontdesk.service"
gzip -dc "$work/deb/usr/share/man/man1/frontdesk.1.gz" | cmp - "$work/archive/frontdesk.1"
"$work/archive/frontdesk" man | cmp - "$work/archive/frontdesk.1"
for completion in bash-completion/completions/frontdesk zsh/vendor-completions/_frontdesk fish/vendor_completions.d/frontdesk.fish; do
	shell=${completion%%[-/]*}
	"$work/deb/usr/bin/frontdesk" completion "$shell" | tee "$work/completion" | cmp - "$work/deb/usr/share/$completion"
	cmp "$work/completion" "$work/archive/completions/frontdesk.$shell"
done
container=$(build from "oci-archive:$release/frontdesk-$version-image-${own#*/}.tar")
says build run --isolation chroot "$container" -- /usr/bin/frontdesk
ask "$container"
grep -q "$(sha256sum "$release/frontdesk-$version-linux-${own#*/}.tar.gz" | cut -d' ' -f1)" "$release/frontdesk.rb" || {
	echo 'the formula has not the archive'"'"'s hash' >&2
	exit 1
}
grep -q '"pkg:golang/github.com/alecthomas/kong@' "$release/frontdesk-$version-sbom.json" || {
	echo 'the list of what the program is made of does not name its libraries' >&2
	exit 1
}
echo "Archives, package, image, formula and list of v$version are whole."

if [ "$whole" ]; then
	echo '--- the image of packaging/Containerfile'
	build build --isolation chroot -q -t frontdesk -f packaging/Containerfile . >/dev/null
	ask "$(build from localhost/frontdesk)"
fi
