package fetch

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/idna"
)

// parse reads an address that is to be fetched. Its error is an *Error.
func parse(address string) (*url.URL, error) {
	if err := checkText(address); err != nil {
		return nil, failure(Refused, nil, nil, "an address cannot be fetched: %v", err)
	}
	u, err := url.Parse(address)
	if err != nil {
		return nil, failure(Refused, nil, nil, "an address cannot be fetched: it is not written as a web address")
	}
	checked, err := check(u)
	if err != nil {
		return nil, failure(Refused, u, nil, "%v", err)
	}
	return checked, nil
}

var (
	errLong    = errors.New("it is longer than 8192 bytes")
	errControl = errors.New("it has blanks, backslashes or control characters, which programs read in different " +
		"ways; write them percent-encoded")
	errScheme = errors.New("only https addresses are fetched, and http on this machine or in networks of fetch.allow")
	errUser   = errors.New("it has a user or password in it; leave them out")
	errHost   = errors.New("its host name cannot be read")
	errNumber = errors.New("its host is a number in a form that programs read in different ways; write four " +
		"decimal numbers, like 192.0.2.7")
	errZone = errors.New("its host is bound to a network interface (%)")
	errPort = errors.New("its port belongs to another protocol than the web's")
)

// checkText refuses texts that readers of addresses understand differently.
func checkText(address string) error {
	if len(address) > maxURL {
		return errLong
	}
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '\\' }) {
		return errControl
	}
	return nil
}

// check holds a read address against the rules that need no look-up, and brings its host into
// canonical form.
func check(u *url.URL) (*url.URL, error) {
	if u.Scheme != "https" && u.Scheme != "http" || u.Opaque != "" {
		return nil, errScheme
	}
	if u.User != nil {
		return nil, errUser
	}
	host, err := canonicalHost(u.Hostname())
	if err != nil {
		return nil, err
	}
	port := u.Port()
	if number, err := strconv.ParseUint(port, 10, 16); port != "" &&
		(err != nil || number == 0 || slices.Contains(badPorts, uint16(number))) {
		return nil, errPort
	} else if port != "" {
		port = strconv.FormatUint(number, 10)
	}
	canonical := *u
	canonical.Fragment, canonical.RawFragment = "", ""
	if canonical.Host = host; strings.Contains(host, ":") {
		canonical.Host = "[" + host + "]"
	}
	if port != "" && port != defaultPort(u.Scheme) {
		canonical.Host = net.JoinHostPort(host, port)
	}
	if canonical.Path == "" {
		canonical.Path = "/"
	}
	return &canonical, nil
}

// canonicalHost brings a host into the one form that is looked up, dialled and sent. It refuses
// numbers that are no plain IPv4 address: resolvers take 0177.1 or 0x7f000001 for one, each in its
// way.
func canonicalHost(host string) (string, error) {
	if strings.Contains(host, "%") {
		return "", errZone
	}
	if strings.Contains(host, ":") {
		ip, err := netip.ParseAddr(host)
		if err != nil {
			return "", errHost
		}
		return ip.String(), nil
	}
	ascii := host
	if strings.ContainsFunc(host, func(r rune) bool { return r >= 0x80 }) {
		var err error
		if ascii, err = idna.Lookup.ToASCII(host); err != nil {
			return "", errHost
		}
	}
	ascii = strings.TrimSuffix(strings.ToLower(ascii), ".")
	if strings.ContainsFunc(ascii, notHostRune) || strings.HasPrefix(ascii, ".") || strings.Contains(ascii, "..") {
		return "", errHost
	}
	last := ascii[strings.LastIndexByte(ascii, '.')+1:]
	if last == "" || len(ascii) > 253 {
		return "", errHost
	}
	if isNumber(last) {
		if ip, err := netip.ParseAddr(ascii); err != nil || !ip.Is4() {
			return "", errNumber
		}
	}
	return ascii, nil
}

// notHostRune says whether r cannot be in a host name. The underscore is no letter of one, and is
// in use.
func notHostRune(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r == '-' || r == '.' || r == '_')
}

// isNumber says whether a host's last label makes the host an IPv4 address, in any of the ways in
// which C libraries and browsers read one.
func isNumber(label string) bool {
	if digits, hex := strings.CutPrefix(label, "0x"); hex {
		return strings.Trim(digits, "0123456789abcdef") == ""
	}
	return strings.Trim(label, "0123456789") == ""
}

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

func portOf(u *url.URL) string {
	if port := u.Port(); port != "" {
		return port
	}
	return defaultPort(u.Scheme)
}

// sameOrigin says whether two addresses have scheme, host and port in common.
func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

// sameHost says whether b is on the host and port of a, or where that host serves https.
func sameHost(a, b *url.URL) bool {
	if a.Hostname() != b.Hostname() {
		return false
	}
	return portOf(a) == portOf(b) ||
		a.Scheme == "http" && portOf(a) == "80" && b.Scheme == "https" && portOf(b) == "443"
}

// badPorts are ports whose protocols could take a request for their own; the list is the Fetch
// standard's (§2.9), and databases that speak in lines.
var badPorts = []uint16{
	1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
	111, 113, 115, 117,
	119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532, 540, 548, 554, 556,
	563, 587, 601, 636,
	989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6379, 6566, 6665, 6666, 6667, 6668,
	6669, 6679, 6697,
	10080, 11211,
}
