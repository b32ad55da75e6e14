package robots

import (
	"strconv"
	"strings"
)

// rule allows or disallows the paths that a pattern matches.
type rule struct {
	text  string   // the pattern in canonical form; its length is its weight (RFC 9309 §2.2.2)
	parts []string // what stands between the stars
	end   bool     // the pattern ends with $
	allow bool
}

func newRule(pattern string, allow bool) rule {
	text := canonical(pattern)
	open, end := strings.CutSuffix(text, "$")
	return rule{text: text, parts: strings.Split(open, "*"), end: end, allow: allow}
}

// match says whether the pattern matches the beginning of a canonical path, or, with a final $, all
// of it. Each part is looked for where it comes first, which finds a match if there is one.
func (r rule) match(path string) bool {
	rest, found := strings.CutPrefix(path, r.parts[0])
	if !found {
		return false
	}
	if len(r.parts) == 1 {
		return !r.end || rest == ""
	}
	last := len(r.parts) - 1
	for _, part := range r.parts[1:last] {
		at := strings.Index(rest, part)
		if at < 0 {
			return false
		}
		rest = rest[at+len(part):]
	}
	if r.end {
		return strings.HasSuffix(rest, r.parts[last])
	}
	return strings.Contains(rest, r.parts[last])
}

// canonical brings a path or pattern into the form in which they are compared (RFC 9309 §2.2.2):
// octets outside of ASCII are percent-encoded, encoded letters, digits and "-._~" are not, and the
// hex digits of the rest are upper case.
func canonical(path string) string {
	if plain(path) {
		return path
	}
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		c := path[i]
		encoded := false
		if c == '%' && i+2 < len(path) {
			if octet, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil {
				c, encoded = byte(octet), true
				i += 2
			}
		}
		if encoded && !unreserved(c) || c >= 0x80 || c <= ' ' || c == 0x7f {
			b.WriteByte('%')
			b.WriteByte("0123456789ABCDEF"[c>>4])
			b.WriteByte("0123456789ABCDEF"[c&15])
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}

// plain says whether a path is in canonical form for sure.
func plain(path string) bool {
	for i := range len(path) {
		if c := path[i]; c == '%' || c >= 0x7f || c <= ' ' {
			return false
		}
	}
	return true
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' ||
		c == '~'
}
