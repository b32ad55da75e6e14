package edge

import (
	"bufio"
	"fmt"
	"net"
	"testing"
	"time"
)

// TestTenThousandIdleClientsAreBounded has so many clients ask once and then wait, some of them in
// the middle of a request.
func TestTenThousandIdleClientsAreBounded(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it holds ten thousand connections")
	}
	const clients = 10_000
	w := start(t, "", "")
	w.End(t)
	w.rewrite(t, "idle_timeout: 5s",
		"idle_timeout: 5m, connections: 12000, connections_per_address: 12000, requests: 12000")
	w.run(t)
	if r := w.get(t, "/news/a", person); r.status != 200 {
		t.Fatalf("before: %d", r.status)
	}
	before := w.RSS(t)
	conns := make([]net.Conn, 0, clients)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for n := range clients {
		c, err := net.Dial("tcp", w.Addr)
		if err != nil {
			t.Fatalf("client %d: %v", n, err)
		}
		conns = append(conns, c)
		c.SetDeadline(time.Now().Add(5 * time.Minute))
		fmt.Fprintf(c, "GET /news/%d HTTP/1.1\r\nHost: %s\r\n\r\n", n%100, domain)
		if r := hear(t, bufio.NewReaderSize(c, 512), "GET"); r.status != 200 {
			t.Fatalf("client %d: %d", n, r.status)
		}
	}
	took := w.RSS(t) - before
	t.Logf("%d idle clients take %d MiB", clients, took>>20)
	if took > 256<<20 {
		t.Errorf("%d idle clients take %d MiB", clients, took>>20)
	}
	if r := w.get(t, signed(t, "/premium/a", "txn-1"), robot); r.status != 200 {
		t.Errorf("beside them: %d", r.status)
	}
	if told := w.exchange.told(t, 1); told["txn-1"].Status != 200 {
		t.Errorf("told as %+v", told)
	}
}
