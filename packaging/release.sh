#!/usr/bin/env bash
# Makes what a release consists of, in dist/release: archives and Debian packages of each target, container images, a
# Homebrew formula, a list of what the program is made of (SBOM), checksums, and the feed for `frontdesk upgrade --check`.
#
#   packaging/release.sh URL [os/arch ...]
#
# URL is where the files will lie, such as https://releases.example.com/v1.2.3. It needs zip, dpkg-deb and buildah.
set -euo pipefail
cd "$(dirname "$0")/.."

url=${1:?say where the files will lie, such as https://releases.example.com/v1.2.3}
shift
targets=("$@")
[ $# -gt 0 ] || targets=(linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64)
for program in zip dpkg-deb buildah; do
	command -v "$program" >/dev/null || {
		echo "A release needs $program. On Debian, as root: apt-get install zip dpkg buildah" >&2
		exit 1
	}
done

./build.sh >/dev/null # for this machine: it writes the manual page and the completions
work=$(mktemp -d "${TMPDIR:-/tmp}/frontdesk-release.XXXXXX")
trap 'rm -rf "$work"' EXIT
version=$(dist/frontdesk version | sed -n '1s/^frontdesk v\?//p')
export SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || date +%s)
mkdir -p "$work/common/completions"
dist/frontdesk man >"$work/common/frontdesk.1"
for shell in bash zsh fish; do dist/frontdesk completion $shell >"$work/common/completions/frontdesk.$shell"; done
cp LICENSE NOTICE CHANGELOG.md "$work/common/"
./build.sh "${targets[@]}" >/dev/null
out=$PWD/dist/release
rm -rf "$out" && mkdir -p "$out"

# archive FOLDER packs a folder of $work, the same bytes for the same files.
archive() {
	find "$work/$1" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
	if [[ $1 == *windows* ]]; then
		(cd "$work" && find "$1" -type f | LC_ALL=C sort | TZ=UTC zip -q -X "$out/$1.zip" -@)
	else
		tar -C "$work" --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" -cf - "$1" | gzip -9n >"$out/$1.tar.gz"
	fi
}

# debian ARCH makes the package of an architecture.
debian() {
	local root=$work/deb-$1
	mkdir -p "$root/DEBIAN" "$root/usr/share/bash-completion/completions" "$root/usr/share/zsh/vendor-completions" \
		"$root/usr/share/fish/vendor_completions.d" "$root/usr/share/doc/frontdesk"
	install -D -m 755 "dist/frontdesk-linux-$1" "$root/usr/bin/frontdesk"
	for unit in service socket; do
		install -D -m 644 "packaging/frontdesk.$unit" "$root/usr/lib/systemd/system/frontdesk.$unit"
	done
	sed -i 's|/usr/local/bin/frontdesk|/usr/bin/frontdesk|' "$root/usr/lib/systemd/system/frontdesk.service"
	install -D -m 644 packaging/frontdesk.sysusers "$root/usr/lib/sysusers.d/frontdesk.conf"
	install -d "$root/etc/frontdesk" && dist/frontdesk config init "$root/etc/frontdesk/frontdesk.yaml" >/dev/null
	echo /etc/frontdesk/frontdesk.yaml >"$root/DEBIAN/conffiles"
	install -d "$root/usr/share/man/man1" && gzip -9nc "$work/common/frontdesk.1" >"$root/usr/share/man/man1/frontdesk.1.gz"
	cp "$work/common/completions/frontdesk.bash" "$root/usr/share/bash-completion/completions/frontdesk"
	cp "$work/common/completions/frontdesk.zsh" "$root/usr/share/zsh/vendor-completions/_frontdesk"
	cp "$work/common/completions/frontdesk.fish" "$root/usr/share/fish/vendor_completions.d/frontdesk.fish"
	cp LICENSE "$root/usr/share/doc/frontdesk/copyright"
	cat >"$root/DEBIAN/control" <<-CONTROL
		Package: frontdesk
		Version: $version
		Architecture: $1
		Maintainer: Frontdesk <frontdesk@localhost>
		Section: web
		Priority: optional
		Description: A front desk for people's questions and for AI agents
		 Answers questions about a site's content, keeps to the owner's terms, and gives receipts.
	CONTROL
	cat >"$root/DEBIAN/postinst" <<-'POSTINST'
		#!/bin/sh
		set -e
		! command -v systemd-sysusers >/dev/null || systemd-sysusers frontdesk.conf
		[ ! -d /run/systemd/system ] || systemctl daemon-reload
	POSTINST
	chmod 755 "$root/DEBIAN/postinst"
	dpkg-deb --build --root-owner-group -Zxz "$root" "$out/frontdesk_${version}_$1.deb" >/dev/null
}

# image ARCH makes the container image of an architecture, as an archive of the Open Container Initiative.
image() {
	local storage=(--root "$work/storage" --runroot "$work/run" --storage-driver vfs)
	buildah "${storage[@]}" build -q --isolation chroot --platform "linux/$1" --timestamp "$SOURCE_DATE_EPOCH" \
		--build-arg "BINARY=dist/frontdesk-linux-$1" -t "frontdesk:$1" -f packaging/Containerfile . >/dev/null
	buildah "${storage[@]}" push -q "localhost/frontdesk:$1" "oci-archive:$out/frontdesk-$version-image-$1.tar:frontdesk:$version"
}

for target in "${targets[@]}"; do
	name=frontdesk-$version-${target/\//-}
	mkdir "$work/$name"
	cp -r "$work/common/." "$work/$name/"
	suffix=
	[[ $target != windows/* ]] || suffix=.exe
	install -m 755 "dist/frontdesk-${target/\//-}" "$work/$name/frontdesk$suffix"
	archive "$name"
	[[ $target != linux/* ]] || {
		debian "${target#linux/}"
		image "${target#linux/}"
	}
done

sum() { sha256sum "$out/frontdesk-$version-$1.tar.gz" 2>/dev/null | cut -d' ' -f1; }
sed -e "s|@VERSION@|$version|g; s|@URL@|$url|g" -e "s|@DARWIN_ARM64@|$(sum darwin-arm64)|; s|@DARWIN_AMD64@|$(sum darwin-amd64)|" \
	-e "s|@LINUX_ARM64@|$(sum linux-arm64)|; s|@LINUX_AMD64@|$(sum linux-amd64)|" packaging/frontdesk.rb >"$out/frontdesk.rb"
# The tool is built as all is: go tool knows no -trimpath, and would compile Go's own packages once more.
go -C tools build -o "$work" github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
"$work/cyclonedx-gomod" app -licenses=false -noserial -json -main cmd/frontdesk -output "$out/frontdesk-$version-sbom.json" "$PWD" 2>"$work/sbom.log" || {
	cat "$work/sbom.log" >&2
	echo 'The list of parts (SBOM) cannot be made: it needs a clone of its own, and no linked worktree.' >&2
	exit 1
}
printf '{"version": "v%s", "published": "%s", "notes": "%s"}\n' "$version" "$(date -u -d "@$SOURCE_DATE_EPOCH" +%FT%TZ)" "$url" >"$out/latest.json"
(cd "$out" && sha256sum -- * >SHA256SUMS && cat SHA256SUMS)
