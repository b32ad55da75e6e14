package command

import (
	"context"
	"net"
	"net/http"
	"strings"
)

// NewTransport is how commands reach the network: as Go's own does, and names below localhost on
// this machine, whatever a DNS says of them (RFC 6761 §6.3).
func NewTransport() *http.Transport {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if host, port, err := net.SplitHostPort(address); err == nil &&
			strings.HasSuffix(strings.ToLower(host), ".localhost") {
			address = net.JoinHostPort("localhost", port)
		}
		return dial(ctx, network, address)
	}
	return transport
}
