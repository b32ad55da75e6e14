package frontier

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// Bounds of what an address of a page looks like.
const (
	longestAddress = 2000
	maxParts       = 16 // of its path
	maxParameters  = 6
	maxAlike       = 3 // equal parts of its path
)

// files are endings of what is no page.
var files = set(`jpg jpeg png gif webp avif svg ico bmp tif tiff heic css js mjs map woff woff2 ttf otf eot mp3 mp4 m4a m4v ogg ogv oga webm wav
	avi mov flac aac zip tgz tar bz2 xz 7z rar exe dmg msi apk iso bin deb rpm pdf doc docx xls xlsx ppt pptx odt ods odp epub mobi ics vcf
	swf wasm psd ai eps kml gpx stl torrent`)

// data are endings of what is no page, and may yet be read when a site lists it.
var data = set(`gz csv tsv xml rss atom json jsonl txt yml yaml rdf`)

// actions are parts of paths that lead to something that a visitor does instead of reads.
var actions = set(`logout log-out signout sign-out login log-in signin sign-in signup sign-up register wp-login.php wp-admin wp-json xmlrpc.php
	cart basket checkout add-to-cart addtocart wishlist cgi-bin cdn-cgi`)

// acting are parameters that do something.
var acting = set(`add-to-cart add_to_cart add_to_wishlist replytocom logout action share print`)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

func ending(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(path.Ext(u.Path)), ".") }

// isFile says whether an address is that of a picture, a film, a program and the like, by its
// ending.
func isFile(u *url.URL) bool { return files[ending(u)] }

// isPage says whether an address may be that of a page that people read.
func isPage(u *url.URL) bool {
	if isFile(u) || data[ending(u)] {
		return false
	}
	for _, part := range split(strings.ToLower(u.Path)) {
		if actions[part] {
			return false
		}
	}
	for parameter := range strings.SplitSeq(u.RawQuery, "&") {
		name, _, _ := strings.Cut(strings.ToLower(parameter), "=")
		if acting[name] {
			return false
		}
	}
	return true
}

// endless says whether an address looks like one of a site that makes ever longer ones.
func endless(u *url.URL) bool {
	parts := split(u.Path)
	if len(parts) > maxParts || strings.Count(u.RawQuery, "&") >= maxParameters {
		return true
	}
	for i, part := range parts {
		alike := 0
		for _, other := range parts[i:] {
			if other == part && part != "" {
				alike++
			}
		}
		if alike > maxAlike || i > 1 && part == parts[i-1] && part == parts[i-2] && part != "" {
			return true
		}
	}
	// /a/b/a/b: a relative link that was resolved from the wrong folder.
	for size := 2; 2*size <= len(parts); size++ {
		for at := 0; at+2*size <= len(parts); at++ {
			if slices.Equal(parts[at:at+size], parts[at+size:at+2*size]) {
				return true
			}
		}
	}
	return false
}
