package app

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/delivery/botstats"
	gate "frontdesk/internal/licensing/edge"
	"frontdesk/internal/licensing/edge/deliverylog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/wire/edge"
	"frontdesk/wire/sign"
)

// TestTheDoorForEdgesTakesWhatTheirKeysHaveSigned has a spool tell the server of a delivery, over a
// socket, and then tries the door with all that it must not take.
func TestTheDoorForEdgesTakesWhatTheirKeysHaveSigned(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true}\nlimits: {rate: {failures: 8/1m}}\n"+soldSoup)
	key, secret, err := m.Edges.Issue(t.Context(), "edge-1", []string{m.config.AllSites()[0].ID})
	if err != nil {
		t.Fatal(err)
	}
	socket := httptest.NewServer(m)
	defer socket.Close()
	hand := &deliverylog.Exchange{URL: socket.URL + edge.Path, Key: key.ID, Secret: secret,
		Fetcher: fetch.New(fetch.Options{}), Now: m.clock.Now}
	var told edge.Batch
	at, err := deliverylog.Open(deliverylog.Config{Dir: t.TempDir(), Sync: deliverylog.DefaultSync, Now: m.clock.Now,
		Ship: func(ctx context.Context, b edge.Batch) error {
			told = b
			return hand.Ship(ctx, b)
		}})
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	begun, err := at.Begin(
		deliverylog.Delivery{Transaction: "txn-none", URI: "https://example.com/soup", Form: "hmac", Length: 7})
	if err != nil {
		t.Fatal(err)
	}
	begun.End(200, 7, nil)
	at.CountSighting(deliverylog.Sighting{Host: "example.com", Agent: "GPTBot", Path: "/soup", Outcome: "refused"})
	if err := at.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows, _, err := m.ReadDeals.Deliveries(t.Context(), transactions.DeliveryFilter{Stray: true, Limit: 9})
	if err != nil || len(rows) != 1 || rows[0].ID != "edge-1_"+begun.ID() || rows[0].Bytes != 7 || rows[0].Entry == "" {
		t.Errorf("%+v, %v", rows, err)
	}
	seen, err := m.ReadTraffic.Paths(t.Context(),
		botstats.Filter{Site: m.config.AllSites()[0].ID, Since: m.clock.Now(), Until: m.clock.Now().Add(time.Hour)}, 9)
	if err != nil || len(seen) != 1 || seen[0].Count != 1 || seen[0].Path != "/soup" {
		t.Errorf("%+v, %v", seen, err)
	}
	text, err := told.Text()
	if err != nil {
		t.Fatal(err)
	}
	send := func(method, id string, secret sign.WebhookSecret, now time.Time, body []byte) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, edge.Path, strings.NewReader(string(body)))
		r.Header.Set(edge.KeyHeader, id)
		r.Header.Set(sign.WebhookID, told.ID)
		r.Header.Set(sign.WebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
		r.Header.Set(sign.WebhookSignature, secret.Sign(told.ID, now, body))
		w := httptest.NewRecorder()
		m.ServeHTTP(w, r)
		return w
	}
	now, other := m.clock.Now(), sign.WebhookSecret(strings.Repeat("o", 32))
	for name, c := range map[string]struct {
		w     *httptest.ResponseRecorder
		want  int
		clock string
	}{
		"told again":        {send("POST", key.ID, secret, now, text), 200, ""},
		"by no key":         {send("POST", "", secret, now, text), 401, ""},
		"by no known key":   {send("POST", "edg_none", secret, now, text), 401, ""},
		"another secret":    {send("POST", key.ID, other, now, text), 401, ""},
		"a clock apart":     {send("POST", key.ID, secret, now.Add(-time.Hour), text), 401, "apart"},
		"no batch":          {send("POST", key.ID, secret, now, []byte(`{"version":1}`)), 400, ""},
		"no JSON":           {send("POST", key.ID, secret, now, []byte(`{"version":1,}`)), 400, ""},
		"an unknown member": {send("POST", key.ID, secret, now, []byte(`{"version":1,"id":"`+told.ID+`","more":1}`)), 400, ""},
		"another's id":      {send("POST", key.ID, secret, now, []byte(`{"version":1,"id":"bat-other"}`)), 400, ""},
		"too large":         {send("POST", key.ID, secret, now, make([]byte, edge.MaxBatch+1)), 413, ""},
		"GET":               {send("GET", key.ID, secret, now, nil), 405, ""},
	} {
		if c.w.Code != c.want || c.w.Header().Get(edge.ClockHeader) != c.clock ||
			strings.Contains(c.w.Body.String(), secret.Text()) {
			t.Errorf("%s: %d %v %s", name, c.w.Code, c.w.Header(), c.w.Body)
		}
	}
	if _, err := m.Edges.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	if w := send("POST", key.ID, secret, now, text); w.Code != http.StatusUnauthorized {
		t.Errorf("revoked: %d", w.Code)
	}
	for range 20 {
		send("POST", "edg_none", secret, now, text)
	}
	if w := send("POST", "edg_none", secret, now, text); w.Code != http.StatusTooManyRequests ||
		w.Header().Get("Retry-After") == "" {
		t.Errorf("after many by no key: %d %v", w.Code, w.Header())
	}
	n := 0
	for record, err := range m.Ledger.Read(t.Context(), ledger.Filter{Kind: "delivery"}) {
		if n++; err != nil || record.Entry.Party != "edge:edge-1" {
			t.Errorf("%+v, %v", record, err)
		}
	}
	if n != 1 {
		t.Errorf("%d entries", n)
	}
}

// TestAnEdgeIsToldWhomPathsAreFor, over a socket, and nobody else: after its key is revoked it goes
// by what is published, also after a restart.
func TestAnEdgeIsToldWhomPathsAreFor(t *testing.T) {
	t.Parallel()
	m := openMarket(t, `ramp: {enabled: true}
terms:
  - {match: {path: /archive/**}, access: open, parties: {permit: [verified]}}
  - {match: {type: Recipe}, access: licensed, parties: {prohibit: [GPTBot]}}
  - {match: {}, access: open}
`)
	site := m.config.AllSites()[0].ID
	key, secret, err := m.Edges.Issue(t.Context(), "edge-1", []string{site})
	if err != nil {
		t.Fatal(err)
	}
	stray, straySecret, err := m.Edges.Issue(t.Context(), "edge-2", []string{"another"})
	if err != nil {
		t.Fatal(err)
	}
	socket := httptest.NewServer(m)
	defer socket.Close()
	fetcher := fetch.New(fetch.Options{Allow: fetch.Networks([]string{"127.0.0.0/8"})})
	asks := func(id string, secret sign.WebhookSecret) func(context.Context, string, string) ([]byte, error) {
		hand := &deliverylog.Exchange{URL: socket.URL + edge.Path, Key: id, Secret: secret, Fetcher: fetcher,
			Now: m.clock.Now}
		return hand.Policy
	}
	folder, ids := t.TempDir(), 0
	open := func(ask func(context.Context, string, string) ([]byte, error)) *gate.Remote {
		remote, err := gate.OpenRemote(gate.RemoteConfig{
			Exchange: socket.URL, Domain: "example.com", Folder: folder, Fetcher: fetcher, Unknown: gate.Blocked,
			Every: time.Minute, Stale: time.Hour, Now: m.clock.Now, AskPolicy: ask,
			NewID: func() string { ids++; return "ask-" + strconv.Itoa(ids) },
		})
		if err != nil {
			t.Fatal(err)
		}
		return remote
	}
	verified := policy.Party{Proven: policy.Traits{Classes: []string{policy.PartyVerified}}}
	gpt := policy.Party{Said: policy.Traits{Name: "GPTBot"}}
	holds := func(when string, remote *gate.Remote, told bool) {
		t.Helper()
		for party, want := range map[*policy.Party][2]gate.Access{ // of the archive, and of the soup
			{}: {gate.Blocked, gate.Licensed}, &verified: {gate.Open, gate.Licensed},
			&gpt: {gate.Blocked, gate.Blocked},
		} {
			if !told { // as for a stranger
				want = [2]gate.Access{gate.Blocked, gate.Licensed}
			}
			archive, _ := remote.Policy().At("/archive/a", party)
			soup, _ := remote.Policy().At("/soup", party)
			if got := [2]gate.Access{archive, soup}; got != want {
				t.Errorf("%s, %+v: %v, want %v", when, party, got, want)
			}
		}
	}
	remote := open(asks(key.ID, secret))
	if err := remote.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	holds("told", remote, true)
	holds("after a restart", open(asks(key.ID, secret)), true)
	if _, err := asks(stray.ID, straySecret)(t.Context(), "ask", "example.com"); !errors.Is(err,
		deliverylog.ErrNotTold) {
		t.Error("a key for another site:", err)
	}
	if _, err := asks(key.ID, straySecret)(t.Context(), "ask", "example.com"); !errors.Is(err, deliverylog.ErrNotTold) {
		t.Error("another's secret:", err)
	}
	if _, err := m.Edges.Revoke(t.Context(), key.ID); err != nil {
		t.Fatal(err)
	}
	m.clock.Advance(time.Minute) // for which a key that was good need not be read again
	if err := remote.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	holds("when the key is revoked", remote, false)
	holds("and after a restart", open(asks(key.ID, secret)), false)
}
