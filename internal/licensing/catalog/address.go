package catalog

import (
	"errors"
	"net/netip"
	"strconv"
	"strings"

	"frontdesk/internal/policy"
)

// maxAddress is how long an address may be, in bytes.
const maxAddress = 8192

var (
	errAddressScheme = errors.New("it is no absolute address of the web; write https://, a host and a path")
	errAddressText   = errors.New("it is longer than 8192 bytes, or has control characters or blanks at its ends")
	errAddressUser   = errors.New("it names a user; leave out what stands before @")
	errAddressHost   = errors.New("its host or port cannot be read")
	errURI           = errors.New("it is no absolute URI; write https://, a host and a path, or a scheme with a " +
		"name, like duns:804735132")
)

// CanonicalURI is Canonical for a URI of any scheme. That of a resource which is no page of the web
// begins with a slash, since it has no host: "/duns:804735132". Its scheme is in lower case, and
// the rest is compared letter by letter once percent-encoding is undone where it says nothing (RFC
// 3986, section 6.2.2). URIs that run or hold something are none.
func CanonicalURI(uri string) (string, error) {
	scheme, rest, _ := strings.Cut(uri, ":")
	scheme = strings.ToLower(scheme)
	if scheme == "https" || scheme == "http" {
		return Canonical(uri)
	}
	if len(uri) > maxAddress || strings.ContainsFunc(uri, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return "", errAddressText
	}
	if !isScheme(scheme) || actingSchemes[scheme] || rest == "" {
		return "", errURI
	}
	return "/" + scheme + ":" + normal(rest, plainInURI), nil
}

// URIOf is the URI of a canonical form; of the web's, that with https.
func URIOf(canonical string) string {
	if uri, other := strings.CutPrefix(canonical, "/"); other {
		return uri
	}
	return "https://" + canonical
}

// IsPage says whether a canonical form is of an address of the web, which has a host.
func IsPage(canonical string) bool { return !strings.HasPrefix(canonical, "/") }

// PlaceOf is the canonical form of a URI that URIOf gave.
func PlaceOf(uri string) string {
	if at, web := strings.CutPrefix(uri, "https://"); web {
		return at
	}
	return "/" + uri
}

// actingSchemes are those of URIs that no catalog sells: what they name runs, or is a file of
// whoever reads them.
var actingSchemes = map[string]bool{"javascript": true, "vbscript": true, "data": true, "blob": true, "file": true,
	"about": true}

// isScheme says whether a text in lower case is a scheme (RFC 3986, section 3.1). One with a point
// is a host that somebody wrote with its port.
func isScheme(text string) bool {
	if len(text) < 2 || text[0] < 'a' || text[0] > 'z' {
		return false
	}
	for i := range len(text) {
		if c := text[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && c != '+' && c != '-' {
			return false
		}
	}
	return text != "localhost"
}

// Canonical brings an address of the web into the one form by which addresses are compared: host,
// port, path and query, without scheme and fragment. Two addresses that RFC 3986, section 6.2,
// calls equivalent have the same form: the host is in ASCII and lower case, the scheme's own port
// is left out, percent-encoding is undone where it says nothing, and there are no dot segments. The
// query counts, and so does a slash at the end. http and https are one place.
//
// It is stricter than what [terms] makes of a path: there two spellings are the same that some
// server may take for the same place, so that no rule is dodged; here they are not, so that nothing
// else is sold than was asked for.
func Canonical(address string) (string, error) {
	if len(address) > maxAddress || strings.TrimSpace(address) != address ||
		strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return "", errAddressText
	}
	scheme, rest, _ := strings.Cut(address, ":")
	usual := ""
	switch {
	case strings.EqualFold(scheme, "https"):
		usual = "443"
	case strings.EqualFold(scheme, "http"):
		usual = "80"
	default:
		return "", errAddressScheme
	}
	rest, _, _ = strings.Cut(rest, "#")
	place, query, asks := strings.Cut(rest, "?")
	place = strings.ReplaceAll(place, `\`, "/") // as browsers do
	if !strings.HasPrefix(place, "//") {
		return "", errAddressScheme
	}
	authority, path := place[2:], "/"
	if slash := strings.IndexByte(authority, '/'); slash >= 0 {
		authority, path = authority[:slash], authority[slash:]
	}
	if strings.Contains(authority, "@") {
		return "", errAddressUser
	}
	host, err := canonicalAuthority(authority, usual)
	if err != nil {
		return "", err
	}
	if path = canonicalPath(path); !asks {
		return host + path, nil
	}
	return host + path + "?" + normal(query, plainInQuery), nil
}

// canonicalAuthority is a host with its port, unless that is the usual one.
func canonicalAuthority(authority, usual string) (string, error) {
	name, ok := policy.Host("https://" + authority + "/")
	if !ok || name == "" {
		return "", errAddressHost
	}
	after := authority
	if bracket := strings.LastIndexByte(authority, ']'); bracket >= 0 {
		numbers, err := netip.ParseAddr(name)
		if err != nil || !numbers.Is6() {
			return "", errAddressHost
		}
		name, after = "["+numbers.String()+"]", authority[bracket+1:]
	}
	_, port, _ := strings.Cut(after, ":")
	if port == "" {
		return name, nil
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return "", errAddressHost
	}
	if port = strconv.FormatUint(n, 10); port == usual {
		return name, nil
	}
	return name + ":" + port, nil
}

// hostOf is the host of an address in canonical form, with its port; empty for a URI that is none
// of the web.
func hostOf(canonical string) string { return canonical[:strings.IndexByte(canonical, '/')] }

// canonicalPath decodes what needs no encoding, and takes out the dot segments (RFC 3986, section
// 5.2.4).
func canonicalPath(path string) string {
	path = normal(path, plainInPath)
	if !strings.Contains(path, "/.") {
		return path
	}
	var kept []string
	segments := strings.Split(path[1:], "/")
	for i, segment := range segments {
		last := i == len(segments)-1
		switch segment {
		case ".", "..":
			if segment == ".." {
				kept = kept[:max(0, len(kept)-1)]
			}
			if last {
				kept = append(kept, "")
			}
		default:
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/")
}

// The bytes that stand for themselves in paths and queries.
var plainInPath, plainInQuery, plainInURI = plain("/:@!$&'()*+,;=[]"), plain("/:@!$&'()*+,;=[]?"),
	plain("/:@!$&'()*+,;=[]?#")

func plain(more string) (set [256]bool) {
	for c := range 256 {
		set[c] = unreserved(byte(c)) || strings.IndexByte(more, byte(c)) >= 0
	}
	return set
}

func unreserved(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

// normal writes a text with as little percent-encoding as there can be, in capital digits. It
// allocates nothing for one that has none and needs none.
func normal(text string, plain [256]bool) string {
	clean := true
	for i := 0; clean && i < len(text); i++ {
		clean = plain[text[i]]
	}
	if clean {
		return text
	}
	const digits = "0123456789ABCDEF"
	out := make([]byte, 0, len(text)+8)
	for i := 0; i < len(text); i++ {
		c, encoded := text[i], false
		if c == '%' && i+2 < len(text) {
			if value, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil && text[i+1] != '+' {
				c, encoded = byte(value), true
				i += 2
			}
		}
		if encoded && unreserved(c) || !encoded && plain[c] {
			out = append(out, c)
		} else {
			out = append(out, '%', digits[c>>4], digits[c&15])
		}
	}
	return string(out)
}
