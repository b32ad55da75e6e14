package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"syscall"
)

// permit is what a request may do beyond what everybody's may.
type permit struct {
	own bool // the operator typed the host
	tls bool
}

// dial connects to a host. All its addresses are judged, and those that pass are tried in order.
func (f *Fetcher) dial(ctx context.Context, p permit, address string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	number, err := net.LookupPort("tcp", port)
	if err != nil {
		return nil, err
	}
	addresses, err := f.lookUp(ctx, p, host)
	if err != nil {
		return nil, err
	}
	var failed []error
	var refused error
	for _, ip := range addresses {
		ip = ip.Unmap()
		if err := f.judge(p, ip); err != nil {
			refused = err
			continue
		}
		conn, err := f.connect(ctx, p, netip.AddrPortFrom(ip, uint16(number)))
		if err == nil {
			return conn, nil
		}
		failed = append(failed, err)
	}
	if len(failed) == 0 && refused != nil {
		return nil, refused
	}
	return nil, errors.Join(failed...)
}

// maxAddresses bounds how many addresses of a host are tried.
const maxAddresses = 16

// lookUp gives the addresses of a host. Only the operator may leave the end of a name to the
// machine's search domains.
func (f *Fetcher) lookUp(ctx context.Context, p permit, host string) ([]netip.Addr, error) {
	if ip, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{ip}, nil
	}
	if host == "localhost" || strings.HasSuffix(host, ".localhost") { // RFC 6761 §6.3: nobody else is to be asked
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	if !p.own {
		host += "." // with the dot, no search domain is tried
	}
	addresses, err := f.options.Resolve(ctx, host)
	if err == nil && len(addresses) == 0 {
		err = &net.DNSError{Err: "no address", Name: host, IsNotFound: true}
	}
	return addresses[:min(len(addresses), maxAddresses)], err
}

// connect dials an address that was judged. The machine's network is made to judge once more at the
// last moment.
func (f *Fetcher) connect(ctx context.Context, p permit, to netip.AddrPort) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	if f.options.Dial != nil {
		return f.options.Dial(ctx, to)
	}
	dialer := net.Dialer{Control: func(_, address string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(address)
		if err != nil {
			return err
		}
		return f.judge(p, at.Addr().Unmap())
	}}
	return dialer.DialContext(ctx, "tcp", to.String())
}

// judge says whether an address may be dialled; the error says why not and what to do.
func (f *Fetcher) judge(p permit, ip netip.Addr) error {
	kind := kindOf(ip)
	switch {
	case f.allowed(ip, kind):
		return nil
	case kind == loopback && p.own:
		return nil
	case kind != public && kind != metadata:
		return failure(Refused, nil, nil,
			"it leads to %s, which is %s; if that is meant, add the network to fetch.allow", ip, kind)
	case kind == metadata:
		return failure(Refused, nil, nil, "it leads to %s, which is %s", ip, kind)
	case !p.tls:
		return failure(Refused, nil, nil, "over the internet only https addresses are fetched; write https://")
	}
	return nil
}

func (f *Fetcher) allowed(ip netip.Addr, kind kind) bool {
	return slices.ContainsFunc(f.options.Allow, func(network netip.Prefix) bool {
		return network.Contains(ip) && (kind != metadata || network.IsSingleIP())
	})
}

// plainPrefixes writes networks of IPv4 that are given in IPv6's form as IPv4.
func plainPrefixes(networks []netip.Prefix) []netip.Prefix {
	plain := make([]netip.Prefix, 0, len(networks))
	for _, n := range networks {
		if n.Addr().Is4In6() && n.Bits() >= 96 {
			n = netip.PrefixFrom(n.Addr().Unmap(), n.Bits()-96)
		}
		plain = append(plain, n.Masked())
	}
	return plain
}

// kind is what sort of place an address is.
type kind string

const (
	public   kind = "public"
	loopback kind = "this machine"
	metadata kind = "where clouds keep a machine's credentials"
)

// kindOf says what sort of place an address is, by the special-purpose registries of IPv4 and IPv6
// (RFC 6890) and what is known of clouds. What is not known to be public is not.
func kindOf(ip netip.Addr) kind {
	if !ip.IsValid() || ip.Zone() != "" {
		return "bound to a network interface"
	}
	ip = ip.Unmap()
	if slices.Contains(clouds, ip) {
		return metadata
	}
	if ip.Is6() {
		return kindOf6(ip)
	}
	return firstOf(special4, ip, public)
}

// kindOf6 judges IPv6. The well-known prefix of NAT64 (RFC 6052) is as public as the IPv4 address
// in it, which is how networks without IPv4 reach the rest of the internet.
func kindOf6(ip netip.Addr) kind {
	bytes := ip.As16()
	if nat64.Contains(ip) {
		if inner := kindOf(netip.AddrFrom4([4]byte(bytes[12:]))); inner != public {
			return "a way through NAT64 to " + inner
		}
		return public
	}
	if isatap := [4]byte(bytes[8:12]); isatap == [4]byte{0, 0, 0x5e, 0xfe} || isatap == [4]byte{2, 0, 0x5e, 0xfe} {
		return "a tunnel to an IPv4 address (ISATAP)"
	}
	return firstOf(special6, ip, "outside of the public internet")
}

type network struct {
	prefix netip.Prefix
	kind   kind
}

// firstOf gives the kind of the first network that holds ip.
func firstOf(networks []network, ip netip.Addr, otherwise kind) kind {
	for _, n := range networks {
		if n.prefix.Contains(ip) {
			return n.kind
		}
	}
	return otherwise
}

// clouds are addresses at which clouds hand a machine its credentials, or much the same.
var clouds = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), // most of them
	netip.MustParseAddr("169.254.170.2"),   // credentials of Amazon's containers
	netip.MustParseAddr("169.254.170.23"),
	netip.MustParseAddr("fd00:ec2::254"), // Amazon
	netip.MustParseAddr("fd00:ec2::23"),
	netip.MustParseAddr("fd20:ce::254"),    // Google
	netip.MustParseAddr("100.100.100.200"), // Alibaba
	netip.MustParseAddr("168.63.129.16"),   // Azure
	netip.MustParseAddr("192.0.0.192"),     // Oracle
}

var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// special4 are the parts of IPv4 that are not public.
var special4 = networks(
	"0.0.0.0/8", "this network",
	"10.0.0.0/8", "a private network",
	"100.64.0.0/10", "a provider's inner network (carrier-grade NAT)",
	"127.0.0.0/8", loopback,
	"169.254.0.0/16", "on the same wire alone (link-local)",
	"172.16.0.0/12", "a private network",
	"192.0.0.0/24", "reserved for protocols",
	"192.0.2.0/24", "for documentation alone",
	"192.88.99.0/24", "a relay of tunnels (6to4)",
	"192.168.0.0/16", "a private network",
	"198.18.0.0/15", "for measurements alone",
	"198.51.100.0/24", "for documentation alone",
	"203.0.113.0/24", "for documentation alone",
	"224.0.0.0/4", "for many receivers (multicast)",
	"240.0.0.0/4", "reserved",
)

// special6 are the parts of IPv6 that have a kind of their own; of the rest, only 2000::/3 is
// public.
var special6 = networks(
	"::1/128", loopback,
	"::/128", "this network",
	"::/96", "an IPv4 address in an outdated form",
	"64:ff9b:1::/48", "a local way to IPv4 (NAT64)",
	"fc00::/7", "a private network",
	"fe80::/10", "on the same wire alone (link-local)",
	"fec0::/10", "a private network",
	"ff00::/8", "for many receivers (multicast)",
	"2001::/32", "a tunnel to an IPv4 address (Teredo)",
	"2001::/23", "reserved for protocols",
	"2001:db8::/32", "for documentation alone",
	"2002::/16", "a tunnel to an IPv4 address (6to4)",
	"3fff::/20", "for documentation alone",
	"2000::/3", public,
)

func networks(pairs ...any) []network {
	var all []network
	for pair := range slices.Chunk(pairs, 2) {
		all = append(all, network{netip.MustParsePrefix(pair[0].(string)), kind(fmt.Sprint(pair[1]))})
	}
	return all
}
