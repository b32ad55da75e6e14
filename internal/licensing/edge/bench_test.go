//go:build unix

package edge

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"frontdesk/internal/licensing/edge/deliverylog"
	wire "frontdesk/wire/edge"
	"frontdesk/wire/sign"
)

// BenchmarkGate measures a reverse proxy of the standard library alone, and the gate before the
// same origin: for people, and for addresses that are signed, each of which is verified and
// recorded. The client is as light as can be, and each measure has the same clients and origin, and
// asks for the same addresses, but for people. What counts is how the figures compare within a run.
func BenchmarkGate(b *testing.B) {
	body := bytes.Repeat([]byte("a"), 4<<10)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	}))
	defer origin.Close()
	to, _ := url.Parse(origin.URL)

	bare := httptest.NewServer(&httputil.ReverseProxy{
		Rewrite:   func(r *httputil.ProxyRequest) { r.SetURL(to); r.SetXForwarded() },
		Transport: &http.Transport{MaxIdleConnsPerHost: 128, DisableCompression: true},
	})
	defer bare.Close()

	records, err := deliverylog.Open(deliverylog.Config{
		Dir: b.TempDir(), Sync: deliverylog.DefaultSync, Max: 4 << 30, Every: time.Second,
		Ship: func(context.Context, wire.Batch) error { return nil },
	})
	if err != nil {
		b.Fatal(err)
	}
	defer records.Close()
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	go records.Run(ctx)
	key := sign.URLKey{Form: sign.URLHMAC, Secret: bytes.Repeat([]byte{1}, 32)}
	older := sign.URLKey{Form: sign.URLHMAC, Secret: bytes.Repeat([]byte{2}, 32)}
	policy := NewPolicy(Open, []Rule{{"/premium", Licensed, nil}, {"/premium/*", Licensed, nil}})
	gate := httptest.NewServer(New(Config{
		Deliveries: records, Refusals: RefusalRate, Manifests: ManifestRate,
		Client: func(*http.Request) netip.Addr { return netip.Addr{} },
		Sites: []Site{{
			Domain: "www.example.com", Hosts: []string{"www.example.com"}, URL: "https://www.example.com",
			Policy:  func() *Policy { return policy },
			Keys:    func(context.Context) ([]sign.URLKey, error) { return []sign.URLKey{key, older}, nil },
			Fetches: 1 << 20,
			Origin: NewOrigin(OriginConfig{URL: to, Timeout: time.Minute, Stall: time.Minute, Client: time.Minute,
				MaxRequests: 256, Body: 1 << 20}),
		}},
	}))
	defer gate.Close()
	var signed []string
	for n := range 5000 {
		address, err := (sign.URLKeys{Origin: "https://www.example.com", Keys: []sign.URLKey{key}}).
			Sign("https://www.example.com/premium/a",
				sign.URLGrant{Expires: time.Now().Add(sign.URLLife - time.Second), Agent: strings.Repeat("a", 64),
					Transaction: fmt.Sprintf("txn-%d", n)}, time.Now())
		if err != nil {
			b.Fatal(err)
		}
		signed = append(signed, strings.TrimPrefix(address, "https://www.example.com"))
	}
	for _, c := range []struct {
		name, address string
		targets       []string
	}{
		{"bare", bare.Listener.Addr().String(), signed},
		{"people", gate.Listener.Addr().String(), []string{"/premium/a"}},
		{"hmac", gate.Listener.Addr().String(), signed},
	} {
		b.Run(c.name, func(b *testing.B) {
			var turn atomic.Int64
			b.SetParallelism(8)
			before := processor(b)
			defer func() { b.ReportMetric(float64(processor(b)-before)/float64(b.N), "cpu-ns/op") }()
			b.RunParallel(func(pb *testing.PB) {
				conn, err := net.Dial("tcp", c.address)
				if err != nil {
					b.Error(err)
					return
				}
				defer conn.Close()
				in := bufio.NewReader(conn)
				for pb.Next() {
					target := c.targets[turn.Add(1)%int64(len(c.targets))]
					if _, err := io.WriteString(conn,
						"GET "+target+" HTTP/1.1\r\nHost: www.example.com\r\nUser-Agent: "+
							"GPTBrowser\r\n\r\n"); err != nil {
						b.Error(err)
						return
					}
					if err := skip(in, len(body)); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}

// processor is the time that this process has used of processors, client and origin among it.
func processor(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// skip reads an answer of status 200 with a body of a length.
func skip(in *bufio.Reader, length int) error {
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return err
		}
		if first && !bytes.HasPrefix(line, []byte("HTTP/1.1 200")) {
			return errors.New(string(line))
		}
		if len(line) <= 2 {
			_, err := in.Discard(length)
			return err
		}
	}
}
