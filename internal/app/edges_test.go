package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/ledger"
	"frontdesk/internal/licensing/delivery/botstats"
	"frontdesk/internal/licensing/edge/deliverylog"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/wire/edge"
	"frontdesk/wire/sign"
)

// TestTheDoorForEdgesTakesWhatTheirKeysHaveSigned has a spool tell the server of a delivery, over a socket, and then tries the door with
// all that it must not take.
func TestTheDoorForEdgesTakesWhatTheirKeysHaveSigned(t *testing.T) {
	t.Parallel()
	m := openMarket(t, "ramp: {enabled: true}\nlimits: {rate: {failures: 8/1m}}\n"+soldSoup)
	key, secret, err := m.Edges.Issue(t.Context(), "edge-1", []string{m.config.AllSites()[0].ID})
	if err != nil {
		t.Fatal(err)
	}
	socket := httptest.NewServer(m)
	defer socket.Close()
	hand := &deliverylog.Exchange{URL: socket.URL + edge.Path, Key: key.ID, Secret: secret, Fetcher: fetch.New(fetch.Options{}), Now: m.clock.Now}
	var told edge.Batch
	at, err := deliverylog.Open(deliverylog.Config{Dir: t.TempDir(), Sync: deliverylog.DefaultSync, Now: m.clock.Now, Ship: func(ctx context.Context, b edge.Batch) error {
		told = b
		return hand.Ship(ctx, b)
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	begun, err := at.Begin(deliverylog.Delivery{Transaction: "txn-none", URI: "https://example.com/soup", Form: "hmac", Length: 7})
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
	seen, err := m.ReadTraffic.Paths(t.Context(), botstats.Filter{Site: m.config.AllSites()[0].ID, Since: m.clock.Now(), Until: m.clock.Now().Add(time.Hour)}, 9)
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
		if c.w.Code != c.want || c.w.Header().Get(edge.ClockHeader) != c.clock || strings.Contains(c.w.Body.String(), secret.Text()) {
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
	if w := send("POST", "edg_none", secret, now, text); w.Code != http.StatusTooManyRequests || w.Header().Get("Retry-After") == "" {
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
