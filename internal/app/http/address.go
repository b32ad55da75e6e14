package http

import (
	"cmp"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/httpx"
)

// ClientAddress is how the world reaches the server: at which address, through which proxies, and
// from where. It is the one place that looks at a request's Host and at what proxies say of the
// request. What it tells is derived from the request each time and kept nowhere.
type ClientAddress struct {
	Url     string         // configured, without a slash at its end; empty when a request says it
	Prefix  string         // the path of url; empty or like "/desk"
	proxies []netip.Prefix // whose word counts
	read    func(http.Header) []hop
	clients string // what the log tells of them
}

// AddressOptions are what an owner says of the way to the server.
type AddressOptions struct {
	URL          string   // the public address; empty where requests say it
	Proxies      []string // networks whose word counts
	ProxyHeaders string   // HeadersX or HeadersRFC: in which headers they say it
	Clients      string   // what the log tells of clients: ClientsNetwork, ClientsAddress or nothing
}

// The values of AddressOptions.ProxyHeaders.
const (
	HeadersX   = "x-forwarded"
	HeadersRFC = "forwarded"
)

// NewClientAddress reads options that were checked.
func NewClientAddress(options AddressOptions) *ClientAddress {
	o := &ClientAddress{Url: strings.TrimSuffix(options.URL, "/"), read: xForwarded, clients: options.Clients}
	if u, err := url.Parse(o.Url); err == nil {
		o.Prefix = u.Path
	}
	if options.ProxyHeaders == HeadersRFC {
		o.read = forwarded
	}
	for _, network := range options.Proxies {
		if prefix, err := fetch.ParseNetwork(network); err == nil {
			o.proxies = append(o.proxies, prefix)
		}
	}
	return o
}

// hop is what one proxy says of the request that it took: who sent it, and what for. Parts that it
// does not say, or that cannot be read, are empty.
type hop struct {
	from                 netip.Addr
	scheme, host, prefix string
}

// maxHops is how many proxies a request may have come through for them to be looked at.
const maxHops = 32

// PublicURL is the address of this front desk as the sender of a request knows it, without a slash
// at its end: `https://www.example.com/desk`. Where `url` is configured, that is it. Otherwise it
// is what the trusted proxies say and then the request's Host header, as far as they are well
// formed. Its answer may be as long-lived as the request: what is kept for others must not depend
// on it unless `url` is configured.
func (o *ClientAddress) PublicURL(r *http.Request) string {
	if o.Url != "" {
		return o.Url
	}
	_, last := o.trace(r)
	scheme, host := last.scheme, strings.ToLower(cmp.Or(last.host, r.Host))
	if scheme == "" {
		scheme = "http"
		if r.TLS != nil {
			scheme = "https"
		}
	}
	if !httpx.IsHost(host) {
		host = "localhost"
		if local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr); ok {
			host = local.String()
		}
	}
	return scheme + "://" + strings.TrimSuffix(host, UsualPorts[scheme]) + last.prefix
}

// UsualPorts are the ports that an address need not name.
var UsualPorts = map[string]string{"http": ":80", "https": ":443"}

// Client is the address that a request came from, past the trusted proxies. It is invalid only for
// requests that came over no network.
func (o *ClientAddress) Client(r *http.Request) netip.Addr {
	client, _ := o.trace(r)
	return client
}

// The values of AddressOptions.Clients, beside none.
const (
	ClientsNetwork = "network"
	ClientsAddress = "address"
)

// sender is what named needs of a request, for one that is kept without its headers.
func (o *ClientAddress) sender(r *http.Request) string {
	if o.clients != ClientsNetwork && o.clients != ClientsAddress {
		return ""
	}
	return netip.AddrPortFrom(o.Client(r), 0).String()
}

// named is what the log tells of a request's sender; empty for nothing.
func (o *ClientAddress) named(r *http.Request) string {
	if o.clients != ClientsNetwork && o.clients != ClientsAddress {
		return ""
	}
	return o.shown(o.Client(r))
}

// shown is what the log tells of an address; empty for nothing.
func (o *ClientAddress) shown(client netip.Addr) string {
	if !client.IsValid() {
		return ""
	}
	switch o.clients {
	case ClientsAddress:
		return client.String()
	case ClientsNetwork:
		bits := 24
		if client.Is6() {
			bits = 48
		}
		network, _ := client.Prefix(bits) // fits either kind
		return network.String()
	}
	return ""
}

// Host is the host that a request was sent to, past the trusted proxies.
func (o *ClientAddress) Host(r *http.Request) string {
	if len(o.proxies) == 0 {
		return r.Host
	}
	_, last := o.trace(r)
	return cmp.Or(last.host, r.Host)
}

// Secure says whether the client's side of the connection is encrypted, as far as can be known.
func (o *ClientAddress) Secure(r *http.Request) bool {
	_, last := o.trace(r)
	return r.TLS != nil || last.scheme == "https"
}

// trace follows a request back through the trusted proxies to the client. The proxies' words are
// read from the nearest to the farthest, and the first that is not trusted is the client: what
// stands before it is anybody's claim.
func (o *ClientAddress) trace(r *http.Request) (client netip.Addr, last hop) {
	client = peer(r)
	if len(o.proxies) == 0 || !o.trusted(client) {
		return client, last
	}
	for i, said := range o.read(r.Header) {
		if i == maxHops {
			break
		}
		last = hop{said.from, cmp.Or(said.scheme, last.scheme), cmp.Or(said.host, last.host),
			cmp.Or(said.prefix, last.prefix)}
		if !said.from.IsValid() { // hidden, or unreadable: the proxy itself is all that is known
			break
		}
		if client = said.from; !o.trusted(client) {
			break
		}
	}
	return client, last
}

func (o *ClientAddress) trusted(address netip.Addr) bool {
	return slices.ContainsFunc(o.proxies, func(network netip.Prefix) bool { return network.Contains(address) })
}

// peer is the other end of the connection.
func peer(r *http.Request) netip.Addr {
	address, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return address.Addr().Unmap().WithZone("")
}

// xForwarded reads the X-Forwarded headers, the nearest proxy's word first. X-Forwarded-For is a
// list that each proxy adds to. Of the others, most proxies write one value in place of what was
// there; where there is a list, its values belong to the same proxies.
func xForwarded(header http.Header) []hop {
	froms := values(header, "X-Forwarded-For")
	schemes, hosts, prefixes := values(header, "X-Forwarded-Proto"), values(header, "X-Forwarded-Host"),
		values(header, "X-Forwarded-Prefix")
	hops := make([]hop, max(1, min(len(froms), maxHops)))
	for i := range hops {
		if i < len(froms) {
			hops[i].from = parseFrom(froms[len(froms)-1-i])
		}
		hops[i].scheme, hops[i].host, hops[i].prefix = schemeOf(backward(schemes, i)), hostIn(backward(hosts, i)),
			prefixIn(backward(prefixes, i))
	}
	return hops
}

// values lists the elements of a header that is a list.
func values(header http.Header, name string) []string {
	var all []string
	for _, line := range header.Values(name) {
		for part := range strings.SplitSeq(line, ",") {
			all = append(all, strings.TrimSpace(part))
		}
	}
	return all
}

// backward is the i-th value from the end, empty when there are not so many.
func backward(list []string, i int) string {
	if i >= len(list) {
		return ""
	}
	return list[len(list)-1-i]
}

// forwarded reads the Forwarded header (RFC 7239), the nearest proxy's word first.
func forwarded(header http.Header) []hop {
	elements := splitQuoted(strings.Join(header.Values("Forwarded"), ","), ',')
	slices.Reverse(elements)
	hops := make([]hop, 0, min(len(elements), maxHops))
	for _, element := range elements[:min(len(elements), maxHops)] {
		var h hop
		for _, pair := range splitQuoted(element, ';') {
			name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
			value = unquote(value)
			switch strings.ToLower(name) {
			case "for":
				h.from = parseFrom(value)
			case "proto":
				h.scheme = schemeOf(value)
			case "host":
				h.host = hostIn(value)
			}
		}
		hops = append(hops, h)
	}
	return hops
}

// splitQuoted splits at a separator that stands outside of quotes.
func splitQuoted(text string, separator byte) []string {
	var parts []string
	begin, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == separator && !quoted:
			parts = append(parts, text[begin:i])
			begin = i + 1
		}
	}
	return append(parts, text[begin:])
}

func unquote(value string) string {
	if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
		return strings.ReplaceAll(value[1:len(value)-1], `\`, "")
	}
	return value
}

// parseFrom reads an address with or without a port; one that is hidden or malformed is invalid.
func parseFrom(text string) netip.Addr {
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	if err != nil {
		with, err := netip.ParseAddrPort(text)
		if err != nil {
			return netip.Addr{}
		}
		address = with.Addr()
	}
	return address.Unmap().WithZone("")
}

func schemeOf(text string) string {
	if text = strings.ToLower(text); text == "http" || text == "https" {
		return text
	}
	return ""
}

func hostIn(text string) string {
	if httpx.IsHost(text) {
		return text
	}
	return ""
}

func prefixIn(text string) string {
	if text = strings.TrimSuffix(text, "/"); ValidPrefix(text) {
		return text
	}
	return ""
}

// ValidPrefix says whether a text can stand before every path of the server: empty, or parts that
// each begin with a slash and hold nothing that would have to be escaped.
func ValidPrefix(prefix string) bool {
	return prefix == "" || len(prefix) <= 200 && isPlain(prefix) && !strings.HasSuffix(prefix, "/") &&
		strings.Trim(prefix, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_~/") == ""
}

// Strip takes the prefix of the public address off a request's path, for proxies that leave it
// there. One that takes it off itself is as good.
func (o *ClientAddress) Strip(r *http.Request) *http.Request {
	if o.Prefix == "" {
		return r
	}
	rest, ok := strings.CutPrefix(r.URL.Path, o.Prefix)
	if !ok || rest != "" && rest[0] != '/' {
		return r
	}
	if rest == "" {
		rest = "/"
	}
	stripped, address := *r, *r.URL
	address.Path, address.RawPath = rest, "" // a prefix has nothing escaped; of what is, Path is what routes read
	stripped.URL = &address
	return &stripped
}

// ForwardedHost is the host that the nearest trusted proxies say a request was sent to; empty where
// none says it.
func (o *ClientAddress) ForwardedHost(r *http.Request) string {
	_, last := o.trace(r)
	return last.host
}
