package policy

import (
	"errors"
	"net/url"
	"strings"

	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// maxAddress bounds the length of a URL that rules look at, maxHost that of its host.
const (
	maxAddress = 8192
	maxHost    = 1000
)

var (
	errAddressLong    = errors.New("it is longer than 8192 bytes")
	errAddressControl = errors.New("it has blanks at its ends or control characters")
	errAddressScheme  = errors.New("it is not absolute")
	errAddressHost    = errors.New("its host cannot be read")
)

// splitAddress gives the host and the path of an absolute URL, both in canonical form: two
// spellings that a browser or a server may take for the same place give the same host and path. It
// allocates nothing when the URL is in that form already, and refuses what it cannot read for sure.
func splitAddress(address string) (host, path string, err error) {
	if len(address) > maxAddress {
		return "", "", errAddressLong
	}
	if hasControl(address) {
		return "", "", errAddressControl
	}
	scheme, rest, found := strings.Cut(address, ":")
	if !found || !isScheme(scheme) {
		return "", "", errAddressScheme
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	web := strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "http")
	if web && strings.Contains(rest, `\`) {
		rest = strings.ReplaceAll(rest, `\`, "/") // as browsers do
	}
	if !strings.HasPrefix(rest, "//") {
		if web {
			return "", "", errAddressHost
		}
		return "", canonicalPath(rest), nil // urn:isbn:..., file:/...: no host, and the rest is the path
	}
	authority, path := rest[2:], "/"
	if slash := strings.IndexByte(authority, '/'); slash >= 0 {
		authority, path = authority[:slash], authority[slash:]
	}
	host, err = hostOf(authority)
	if err != nil || web && host == "" {
		return "", "", errAddressHost
	}
	return host, canonicalPath(path), nil
}

// Host gives the host of a web address in canonical form: lower case, ASCII, without port and final
// dot. ok is false for what is no address of the web, or cannot be read for sure.
func Host(address string) (host string, ok bool) {
	scheme, _, _ := strings.Cut(address, ":")
	if !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http") {
		return "", false
	}
	host, _, err := splitAddress(address)
	return host, err == nil
}

// ASCIIAddress gives a web address with its host in ASCII (RFC 5891), as protocols want it; the
// address as it is where its host is in ASCII already, or cannot be read. A host that is
// percent-encoded is as good as one in other letters. The rest of an address that content keeps is
// in ASCII.
func ASCIIAddress(address string) string {
	_, rest, _ := strings.Cut(address, "://")
	authority, _, _ := strings.Cut(rest, "/")
	if isASCII(address) && !strings.Contains(authority, "%") {
		return address
	}
	at, err := url.Parse(address) // which decodes the host
	if err != nil {
		return address
	}
	name := at.Hostname()
	ascii, err := idna.Lookup.ToASCII(strings.ToLower(name))
	if err != nil {
		return address
	}
	at.Host = strings.Replace(at.Host, name, ascii, 1) // what is after it is the port
	return at.String()
}

// hasControl says whether the text has control characters, or blanks at its ends: readers of URLs
// differ in what they do with them.
func hasControl(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] == 0x7f {
			return true
		}
	}
	return strings.HasPrefix(text, " ") || strings.HasSuffix(text, " ")
}

func isScheme(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		case i > 0 && (c >= '0' && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return false
		}
	}
	return s != ""
}

// hostOf takes the host out of an authority, without user and port.
func hostOf(authority string) (string, error) {
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		authority = authority[at+1:]
	}
	if bracketed, after, ok := strings.Cut(strings.TrimPrefix(authority, "["), "]"); ok && authority[0] == '[' {
		if after != "" && after[0] != ':' || strings.ContainsFunc(bracketed, notAddressRune) {
			return "", errAddressHost
		}
		return strings.ToLower(bracketed), nil
	}
	host, _, _ := strings.Cut(authority, ":")
	return canonicalHost(host)
}

// notAddressRune says whether r cannot be in an IPv6 address.
func notAddressRune(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF:.", r) }

// canonicalHost brings a host name into lower case, ASCII form, without the final dot.
func canonicalHost(host string) (string, error) {
	if len(host) > maxHost {
		return "", errAddressHost
	}
	if strings.Contains(host, "%") {
		host = decode(host)
	}
	if !isASCII(host) {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil {
			return "", errAddressHost
		}
		host = ascii
	}
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if strings.HasPrefix(host, ".") || strings.HasSuffix(host, ".") || strings.Contains(host, "..") {
		return "", errAddressHost
	}
	for i := range len(host) {
		if c := host[i]; !(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return "", errAddressHost
		}
	}
	return host, nil
}

func isASCII(text string) bool {
	for i := range len(text) {
		if text[i] >= 0x80 {
			return false
		}
	}
	return true
}

// canonicalPath brings a path into the one form that patterns are matched against: percent-decoded
// until nothing is left to decode, composed Unicode (NFC), backslashes as slashes, no empty and no
// dot segments, one slash at the beginning and none at the end.
//
// An encoded slash or dot counts as what it decodes to, because enough servers treat it so: a rule
// must not be dodged by spelling.
func canonicalPath(path string) string {
	if path == "/" {
		return path
	}
	if trimmed := strings.TrimSuffix(path, "/"); isCanonical(trimmed) {
		return trimmed
	}
	path = decode(path)
	path = strings.ReplaceAll(path, `\`, "/")
	path = norm.NFC.String(path)
	var kept []string
	for segment := range strings.SplitSeq(path, "/") {
		switch segment {
		case "", ".":
		case "..":
			kept = kept[:max(0, len(kept)-1)]
		default:
			kept = append(kept, segment)
		}
	}
	return "/" + strings.Join(kept, "/")
}

// isCanonical is a quick look that finds most paths in canonical form already. It may say no to one
// that is.
func isCanonical(path string) bool {
	if path == "" || path[0] != '/' || path[len(path)-1] == '/' {
		return false
	}
	for i := range len(path) {
		switch c := path[i]; {
		case c == '%', c == '\\', c >= 0x80:
			return false
		case c == '/' && (path[i+1] == '/' || path[i+1] == '.'):
			return false
		}
	}
	return true
}

// decode undoes percent-encoding as often as it was applied: "%2541" becomes "%41" becomes "A". A
// percent sign without two hex digits stays what it is. One pass is enough, because what a byte
// completes is looked at as soon as it is there.
func decode(text string) string {
	if strings.IndexByte(text, '%') < 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	for i := range len(text) {
		out = append(out, text[i])
		for n := len(out); n >= 3 && out[n-3] == '%' && isHex(out[n-2]) && isHex(out[n-1]); n = len(out) {
			out = append(out[:n-3], unhex(out[n-2])<<4|unhex(out[n-1]))
		}
	}
	return string(out)
}

func isHex(c byte) bool { return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

func unhex(c byte) byte {
	switch {
	case c <= '9':
		return c - '0'
	case c <= 'F':
		return c - 'A' + 10
	default:
		return c - 'a' + 10
	}
}

// hostGlob is a compiled host pattern.
type hostGlob struct {
	text  string // as the owner wrote it
	name  string // canonical, without the wildcard
	below bool   // matches every host below name, and not name itself
}

var errHostPattern = errors.New("write a host name like example.com, or *.example.com for all hosts below it")

func parseHost(text string) (hostGlob, error) {
	name, below := strings.CutPrefix(text, "*.")
	if len(text) > maxPattern || strings.ContainsAny(name, "*/@ ") {
		return hostGlob{}, errHostPattern
	}
	host, err := hostOf(name)
	if err != nil || host == "" || name[0] != '[' && strings.Contains(name, ":") {
		return hostGlob{}, errHostPattern
	}
	return hostGlob{text, host, below}, nil
}

func (g hostGlob) match(host string) bool {
	if !g.below {
		return host == g.name
	}
	above := len(host) - len(g.name)
	return above > 1 && host[above-1] == '.' && host[above:] == g.name
}
