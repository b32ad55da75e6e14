package identity

import (
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"frontdesk/internal/infra/fail"
)

var domainName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)

// ParseDomain reads the domain of a requester: a host name in ASCII, which it gives in lower case.
// On this machine alone it may have a port or be an address, for trials.
func ParseDomain(text string) (string, error) {
	domain := strings.ToLower(text)
	name, port, err := net.SplitHostPort(domain)
	if err != nil {
		name, port = domain, ""
	}
	ip, _ := netip.ParseAddr(name)
	here := ip.IsLoopback() || onThisMachine(name)
	number, err := strconv.Atoi(port)
	switch {
	case port != "" && (!here || err != nil || number < 1 || number > 65535 || strconv.Itoa(number) != port):
	case ip.IsValid() && (!here || ip.Is6() && port == ""):
	case len(name) > 253 || !ip.IsValid() && !domainName.MatchString(name):
	default:
		return domain, nil
	}
	return "", fail.New(fail.Invalid, "%q is no domain of a requester; write a host name such as agents.example.com, "+
		"in ASCII and without a port", clip(text))
}

// Origin is scheme and host of a domain.
func Origin(domain string) string { return scheme(domain) + "://" + domain }

// clip bounds what is repeated of a stranger's text.
func clip(text string) string {
	if len(text) > 80 {
		return text[:80] + "..."
	}
	return text
}

// scheme is by which scheme a domain is asked for what it publishes: http on this machine alone,
// where the configuration allows to fetch from it.
func scheme(domain string) string {
	name, _, err := net.SplitHostPort(domain)
	if err != nil {
		name = domain
	}
	if ip, _ := netip.ParseAddr(name); ip.IsLoopback() || onThisMachine(name) {
		return "http"
	}
	return "https"
}

// onThisMachine says whether a name is this machine's, whatever a DNS says (RFC 6761 §6.3).
func onThisMachine(name string) bool {
	return name == "localhost" || strings.HasSuffix(name, ".localhost")
}
