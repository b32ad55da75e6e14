package edge

import (
	"errors"
	"net/url"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// errPath is of a path that servers read in different ways, so that nobody can say what it opens.
var errPath = errors.New("the address can be read in more than one way; write it without dot segments, backslashes, " +
	"control characters, and encoded slashes")

// readings are the ways in which an origin may read a path as it stands in an address, each with
// nothing percent-encoded. A path that is open by one of them and kept back by another is kept
// back. The error is errPath for a path that no reading is safe of.
func readings(raw string) ([]string, error) {
	if usual(raw) {
		return []string{raw}, nil
	}
	if !strings.HasPrefix(raw, "/") || strings.ContainsAny(raw, "\\#") ||
		strings.ContainsFunc(raw, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, errPath
	}
	once, err := unescaped(raw)
	if err != nil {
		return nil, err
	}
	all, err := compatible(nil, once)
	if err != nil {
		return nil, err
	}
	for _, path := range all {
		if !strings.Contains(path, "%") {
			continue
		}
		twice, err := unescaped(path) // as some servers do
		if err == nil {
			all, err = compatible(all, twice)
		}
		if errors.Is(err, errPath) {
			return nil, err
		}
	}
	for _, path := range all {
		if at := strings.IndexAny(path, "?#"); at > 0 { // escaped once, and taken by some for where the path ends
			if leadsUp(path[:at]) {
				return nil, errPath
			}
			all = append(all, path[:at])
		}
	}
	for _, path := range all {
		for _, way := range []string{merged(path), bare(path), strings.TrimRight(path, "/"), merged(bare(path)),
			strings.TrimRight(merged(bare(path)), "/")} {
			if way != "" && way != path {
				all = append(all, way)
			}
		}
	}
	return all, nil
}

// compatible adds a path to readings, and with it its compatibility form (NFKC), in which some file
// systems and servers read names.
func compatible(all []string, path string) ([]string, error) {
	all = append(all, path)
	form := norm.NFKC.String(path)
	if form == path {
		return all, nil
	}
	if strings.Contains(form, "\\") || leadsUp(form) {
		return nil, errPath
	}
	return append(all, form), nil
}

// usual says of a path quickly that it can be read in one way only.
func usual(raw string) bool {
	before := byte(0)
	for i := range len(raw) {
		switch c := raw[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '_':
		case c == '.' && before != '/' && i+1 < len(raw) && raw[i+1] != '/' && raw[i+1] != '.':
		case c == '/' && before != '/' && (i == 0 || i+1 < len(raw)):
		default:
			return false
		}
		before = raw[i]
	}
	return raw != "" && raw[0] == '/'
}

// unescaped undoes percent-encoding once. The error is errPath where that brings up what would be
// read as something else than a part of a name, and another where there is nothing to undo.
func unescaped(path string) (string, error) {
	plain, err := url.PathUnescape(path)
	if err != nil {
		return "", err
	}
	if strings.Count(plain, "/") != strings.Count(path, "/") ||
		strings.ContainsFunc(plain, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }) ||
		overlong(plain) || leadsUp(plain) {
		return "", errPath
	}
	return plain, nil
}

// leadsUp says whether a path has dot segments, also with what some servers leave out behind them.
func leadsUp(path string) bool {
	for step := range strings.SplitSeq(path, "/") {
		// "..;" and ".. " lead up at some servers
		if name := strings.TrimRight(named(step), " "); name == "." || name == ".." {
			return true
		}
	}
	return false
}

// overlong says whether a text has a character of ASCII in a form of UTF-8 that is too long, which
// old servers undo.
func overlong(text string) bool {
	for i := 0; i+1 < len(text); i++ {
		if next := text[i+1]; next >= 0x80 && next < 0xC0 {
			switch text[i] {
			case 0xC0, 0xC1:
				return true
			case 0xE0:
				if next < 0xA0 {
					return true
				}
			case 0xF0:
				if next < 0x90 {
					return true
				}
			}
		}
	}
	return false
}

// merged reads several slashes as one.
func merged(path string) string {
	for strings.Contains(path, "//") {
		path = strings.ReplaceAll(path, "//", "/")
	}
	return path
}

// bare leaves out of a path's segments what some servers leave out: parameters, the streams of
// files, and dots and blanks at the end.
func bare(path string) string {
	steps := strings.Split(path, "/")
	for i, step := range steps {
		steps[i] = strings.TrimRight(named(step), ". ")
	}
	return strings.Join(steps, "/")
}

// named is a segment of a path without its parameters and the stream of its file.
func named(step string) string {
	name, _, _ := strings.Cut(step, ";")
	for _, stream := range []string{"::", ":$"} {
		name, _, _ = strings.Cut(name, stream)
	}
	return name
}

// escaped writes a path in the one spelling: percent-encoded are all bytes but those that a path
// may have and no pattern means something by.
func escaped(path string) string {
	const digits = "0123456789ABCDEF"
	if usual(path) {
		return path
	}
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.IndexByte("/-._~:@!&'()+,;=", c) >= 0 {
			b.WriteByte(c)
			continue
		}
		b.WriteByte('%')
		b.WriteByte(digits[c>>4])
		b.WriteByte(digits[c&15])
	}
	return b.String()
}
