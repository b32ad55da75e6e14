package app

import (
	"bytes"
	"net/url"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/wire/receipt"
)

// TestTheAuditIsKeptAndTellsNoSignedAddress sells, passes thirteen months with all that sweeps, and
// holds that the signed export of the ledger and the reports still tell of the sale, and that
// nothing that is exported tells the address that opened what was bought.
func TestTheAuditIsKeptAndTellsNoSignedAddress(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	if p.db.Engine() != store.SQLite {
		return // entries have their place once a server runs
	}
	if got := p.push("acme", "acme", entryAt(p.domain, "/a")); got != `{"accepted":1,"rejected":0}` {
		t.Fatal(got)
	}
	p.verify(hexKey, "hmac")
	address, err := url.Parse(p.bought("http://"+p.domain+"/a", "t1"))
	if err != nil {
		t.Fatal(err)
	}
	transaction, signature := address.Query().Get("txn_id"), address.Query().Get("sig")
	if transaction == "" || len(signature) != 64 {
		t.Fatal(address)
	}
	day := p.clock.Now().Format(time.DateOnly)
	next := p.clock.Now().Add(24 * time.Hour).Format(time.DateOnly)
	p.clock.Advance(397 * 24 * time.Hour) // thirteen months
	if err := p.App.exchange.Exchange.MaintainOnce(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := p.Shelves.Sweep(t.Context(), func(string) bool { return false }); err != nil {
		t.Fatal(err)
	}
	if err := p.Tenants.Challenges.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}

	exports := map[string]string{}
	for _, form := range []string{ledger.Lines, ledger.CSV} {
		var out bytes.Buffer
		if _, err := p.Ledger.Export(t.Context(), &out, form); err != nil {
			t.Fatal(err)
		}
		exports["the ledger as "+form] = out.String()
	}
	keys, err := receipt.ParseKeys(p.SiteKeys.JWKS())
	if err != nil {
		t.Fatal(err)
	}
	if c, err := receipt.VerifyExport(strings.NewReader(exports["the ledger as "+ledger.Lines]), keys); err != nil ||
		c.Size == 0 {
		t.Errorf("%v, %v", c, err)
	}
	reports, _ := makeKey(t, p.App, identity.Key{Name: "books", Scopes: []string{"reports"}})
	for _, format := range []string{"json", "jsonl", "csv"} {
		path := "/api/v1/reports/transaction-detail?from=" + day + "&to=" + next + "&format=" + format
		w := send(p, posted("GET", path, "", identity.KeyHeader, reports))
		if w.Code != 200 {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
		exports[path] = w.Body.String()
	}
	for name, told := range exports {
		if !strings.Contains(told, transaction) {
			t.Errorf("%s does not tell of a sale of thirteen months ago", name)
		}
		if strings.Contains(told, signature) || strings.Contains(told, "sig=") || strings.Contains(told, "expires=") {
			t.Errorf("%s tells a signed address", name)
		}
	}
	if strings.Contains(p.log.String(), signature) {
		t.Error("the log tells a signed address")
	}
}
