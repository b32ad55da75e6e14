package fetch_test

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"testing"

	"frontdesk/internal/infra/fetch"
)

// FuzzAddress asks for whatever a document may name. Nothing but public addresses may be dialled,
// and no name may be looked up that a C library would take for a number.
func FuzzAddress(f *testing.F) {
	for _, a := range attempts {
		f.Add(a.address)
	}
	var looked, dialled []string
	fetcher := fetch.New(fetch.Options{
		Resolve: func(_ context.Context, host string) ([]netip.Addr, error) {
			looked = append(looked, host)
			return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
		},
		Dial: func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
			dialled = append(dialled, to.String())
			return nil, errors.New("nobody there")
		},
	})
	f.Fuzz(func(t *testing.T, address string) {
		looked, dialled = nil, nil
		_, err := fetcher.Get(context.Background(), fetch.Request{URL: address})
		var failed *fetch.Error
		if !errors.As(err, &failed) || failed.Reason != fetch.Refused && failed.Reason != fetch.Unreachable {
			t.Fatalf("%q: %v", address, err)
		}
		for _, to := range dialled {
			ip := netip.MustParseAddrPort(to).Addr()
			if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.Is4In6() || ip.Zone() != "" {
				t.Errorf("%q: dialled %s", address, to)
			}
		}
		for _, host := range looked {
			if host != strings.ToLower(host) || strings.ContainsAny(host, "%/@:\\ ") ||
				isNumberInC(strings.TrimSuffix(host, ".")) {
				t.Errorf("%q: looked up %q", address, host)
			}
		}
	})
}

// isNumberInC says whether inet_aton would read a host as an IPv4 address: one to four numbers in
// decimal, octal or hex.
func isNumberInC(host string) bool {
	parts := strings.Split(host, ".")
	for _, part := range parts {
		base := 10
		switch {
		case strings.HasPrefix(part, "0x"):
			part, base = part[2:], 16
		case strings.HasPrefix(part, "0") && part != "0":
			base = 8
		}
		if _, err := strconv.ParseUint(part, base, 64); err != nil {
			return false
		}
	}
	return len(parts) <= 4
}
