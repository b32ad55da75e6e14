package fetch

import (
	"context"
	"net"
	"net/netip"
)

// Connect dials with the machine's network what a judgement before might have let through wrongly.
func (f *Fetcher) Connect(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	return f.connect(ctx, permit{tls: true}, to)
}
