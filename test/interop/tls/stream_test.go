package tls

import (
	"context"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"testing"
	"time"

	"frontdesk/client"
)

// TestStreamsOverTLS asks for streams and whole answers in turn, over one connection of HTTP/1.1
// and one of HTTP/2.
func TestStreamsOverTLS(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	keys := makePair(t, "desk.example")
	keys.write(t, folder)
	const item = `{"@type": "Recipe", "url": "https://desk.example/soup", "name": "Lentil soup"}`
	if err := os.WriteFile(filepath.Join(folder, "items.jsonl"), []byte(item), 0o600); err != nil {
		t.Fatal(err)
	}
	public, redirect := sockets(t)
	d := start(t, folder, ofFiles+"sources: [{path: items.jsonl}]\n", public, redirect)
	for protocol, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(protocol, func(t *testing.T) {
			web := d.client(keys.pool())
			transport := web.Transport.(*http.Transport)
			transport.DisableKeepAlives, transport.ForceAttemptHTTP2 = false, http2
			if !http2 {
				transport.TLSClientConfig.NextProtos = []string{"http/1.1"}
			}
			desk, err := client.New("https://desk.example",
				client.Options{HTTP: web, Retries: 100, MaxWait: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			connections := 0
			ctx := httptrace.WithClientTrace(t.Context(),
				&httptrace.ClientTrace{GotConn: func(c httptrace.GotConnInfo) {
					if !c.Reused {
						connections++
					}
				}})
			askInTurn(t, ctx, desk)
			if connections != 1 {
				t.Errorf("%d connections for five streams and five answers", connections)
			}
		})
	}
}

func askInTurn(t *testing.T, ctx context.Context, desk *client.Client) {
	t.Helper()
	for range 5 {
		stream, err := desk.Stream(ctx, client.Question{Text: "lentil soup"})
		if err != nil {
			t.Fatal(err)
		}
		answer, err := stream.Collect()
		if err != nil || len(answer.Results) != 1 || answer.Raw != nil {
			t.Fatalf("streamed: %+v, %v", answer, err)
		}
		if answer, err = desk.Ask(ctx, client.Question{Text: "lentil soup"}); err != nil || len(answer.Results) != 1 {
			t.Fatalf("whole: %+v, %v", answer, err)
		}
	}
}
