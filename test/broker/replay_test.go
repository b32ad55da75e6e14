package broker

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"net/http"
	"net/http/httputil"
	"strings"
	"testing"
	"time"

	"frontdesk/client"
	"frontdesk/internal/testkit/process"
)

// again sends what was sent before to where it went, byte for byte, and gives the answers.
func (g *gate) again(t *testing.T, connections [][]byte) (all []string) {
	t.Helper()
	for _, text := range connections {
		c, err := net.DialTimeout("tcp", g.nodes[0], time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if _, err := c.Write(text); err != nil {
			t.Fatal(err)
		}
		sent, answers := bufio.NewReader(bytes.NewReader(text)), bufio.NewReader(c)
		for {
			request, err := http.ReadRequest(sent)
			if err != nil {
				break
			}
			if _, err := io.Copy(io.Discard, request.Body); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(answers, request)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := httputil.DumpResponse(response, true)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, string(answer))
		}
	}
	return all
}

// TestWhatIsSentAgainBuysNothing records all that an agent sends to a Broker and the Broker to an
// Exchange, byte for byte, and sends it again: to those who know it, and to those who were started
// anew. Then the same with other ids and other contents, and without the signatures over HTTP.
// Nothing is charged, and every answer is one of the protocol's.
func TestWhatIsSentAgainBuysNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, store string, brokers int) {
		m := openMarket(t, store, 1, 3, "  budgets: [{requester: \"*\", amount: \"1000\", currency: USD}]\n")
		m.at.record.Store(true)
		m.through.record.Store(true)
		b := m.broker()
		var sold []*client.Resolved
		for i, uris := range [][]string{{m.thing(0)}, {m.thing(1), m.thing(2)}} {
			got, err := b.Resolve(t.Context(), &client.Resolving{ID: []string{"one", "two"}[i], URIs: uris})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := b.Report(t.Context(), &got.Items[0],
				client.Use{ID: []string{"use-one", "use-two"}[i], Quantity: 1}); err != nil {
				t.Fatal(err)
			}
			sold = append(sold, got)
		}
		m.at.record.Store(false)
		m.through.record.Store(false)
		var agents [][]byte
		for _, text := range m.through.recorded() {
			if bytes.HasPrefix(text, []byte("POST ")) { // the Exchange reads the Broker's keys there, too
				agents = append(agents, text)
			}
		}
		exchanges := m.at.recorded()
		if len(agents) != 4 || len(exchanges) == 0 {
			t.Fatalf("%d requests of the agent and %d connections of the Broker were recorded", len(agents),
				len(exchanges))
		}
		charged := func(what string) {
			t.Helper()
			spent, held, err := m.purse(b)
			if err != nil || !near(spent, 0.066) || held != 0 || !near(m.books(), m.credit-0.06) {
				t.Errorf("%s: %v are spent and %v held; the Exchange has charged %v: %v", what, spent, held,
					m.credit-m.books(), err)
			}
		}
		charged("at first")
		for _, what := range []string{"sent again", "sent again after a crash"} {
			for i, answer := range m.through.again(t, agents) {
				// What spends is signed for one use, and whoever copied it does not get what was
				// bought either.
				buys := i%2 == 0
				if buys &&
					(strings.Contains(answer, sold[i/2].Items[0].TransactionId) || !strings.HasPrefix(answer,
						"HTTP/1.1 401 ")) || !buys && !strings.HasPrefix(answer, "HTTP/1.1 200 OK") {
					t.Errorf("%s: request %d of the agent is answered with %s", what, i, answer)
				}
			}
			for _, answer := range m.at.again(t, exchanges) {
				copied := strings.HasPrefix(answer, "HTTP/1.1 401 ") && strings.Contains(answer, "used already")
				if !copied && !strings.HasPrefix(answer, "HTTP/1.1 200 OK") || strings.Contains(answer, "/deliver/") {
					t.Errorf("%s: what the Broker sent is answered with %s", what, answer)
				}
			}
			charged(what)
			if what == "sent again" {
				m.brokers[0].Kill()
				m.exchange.Kill()
				m.exchange.Server = process.Start(t, "serve", "--config", m.exchange.config)
				m.brokers[0] = process.Start(t, "broker", "--config", m.configs[0])
			}
		}
		for what, change := range map[string]func([]byte) []byte{
			"with another id":    func(text []byte) []byte { return replaced(text, `"id":"one"`, `"id":"eno"`) },
			"with another thing": func(text []byte) []byte { return replaced(text, "/thing-0", "/thing-1") },
			"with another id, its digest too, and no signature over HTTP": func(text []byte) []byte {
				text = replaced(text, `"id":"one"`, `"id":"eno"`)
				for _, header := range []string{"Signature:", "Signature-Input:", "Content-Digest:"} {
					text = replaced(text, header, "X-"+header)
				}
				return text
			},
		} {
			for _, answer := range m.through.again(t, [][]byte{change(agents[0])}) {
				if !strings.HasPrefix(answer, "HTTP/1.1 401 Unauthorized") ||
					!strings.Contains(answer, "unauthenticated") {
					t.Errorf("%s: answered with %s", what, answer)
				}
			}
			charged(what)
		}
		// The agent itself, under the id of another request.
		_, err := b.Resolve(t.Context(), &client.Resolving{ID: "one", URIs: []string{m.thing(1)}})
		if err == nil || !strings.Contains(err.Error(), "already_exists") {
			t.Error("another request under the same id:", err)
		}
		charged("under the id of another")
	})
}

// replaced has something in place of something else that is in there.
func replaced(text []byte, old, new string) []byte {
	if !bytes.Contains(text, []byte(old)) {
		panic("there is no " + old + " in " + string(text))
	}
	return bytes.ReplaceAll(text, []byte(old), []byte(new))
}
