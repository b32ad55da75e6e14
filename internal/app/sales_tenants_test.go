package app

import (
	"crypto/ed25519"
	"encoding/base64"
	"net/http"
	"strings"
	"testing"

	"frontdesk/internal/identity"
)

// atConsole logs somebody in at the console.
func (m *market) atConsole(role string) *person {
	m.t.Helper()
	token, _ := tokenFor(m.t, m.App, role)
	p := newPerson(m.t, m.App)
	p.get("/console/login")
	if w := p.post("/console/login", "token", token); w.Code != http.StatusSeeOther {
		m.t.Fatal(w.Code, w.Body)
	}
	return p
}

// TestTheConsolePutsATenantIn puts a provider in by one page, which is then all that it takes to
// push and be offered; and shows what was pushed and what was refused, with what can be done.
func TestTheConsolePutsATenantIn(t *testing.T) {
	t.Parallel()
	s := openSupplied(t)
	p := s.atConsole(identity.Operator)
	p.sees("/console/sales/tenants", 200, "There are no tenants", "Add a tenant", `aria-current="page"`)
	key := base64.StdEncoding.EncodeToString(supplierKey("acme-cms").Public().(ed25519.PublicKey))
	w := p.post("/console/sales/tenants", "id", "acme", "name", "Acme <b>", "domains", "www.acme.example", "model",
		"per_access", "rate", "0.02", "currency", "usd",
		"at", "https://cdn.acme.example", "cdn", "hmac", "caller", "acme-cms", "key", key)
	if w.Code != 200 || !strings.Contains(p.page, "not shown again") || !strings.Contains(p.page, "Acme &lt;b&gt;") ||
		!strings.Contains(p.page, "0.02 USD") {
		t.Fatalf("%d %s", w.Code, p.page)
	}
	p.sees("/console/sales/tenant?id=acme", 200, "Nothing was pushed yet", "Nothing was refused")
	if strings.Contains(p.page, "not shown again") {
		t.Error("the secret is shown again")
	}
	entry := entryAt("www.acme.example", "/a")
	entry.ProvenanceSource = new(string)
	*entry.ProvenanceSource = "gumgum.example"
	if got := s.push("acme-cms", "acme", entry, entryAt("other.example",
		"/x<i>")); got != `{"accepted":1,"rejected":1}` || s.offered("https://www.acme.example/a") == nil {
		t.Fatal(got)
	}
	p.sees("/console/sales/tenant?id=acme", 200, "At /a", "https://www.acme.example/a", "0.02 USD", "acme-cms",
		"after gumgum.example", "domain is not the tenant’s", "add it to the tenant", "other.example/x&lt;i&gt;")
	p.sees("/console/sales/tenant?id=acme&q=nothing", 200, "No pushed entry fits")
	p.sees("/console/sales/tenant?id=globex", 404)
	p.sees("/console/sales/tenants", 200, "www.acme.example", "https://cdn.acme.example")
	for name, fields := range map[string][]string{
		"twice": {"id", "acme", "domains", "x.example"}, "another's domain": {"id", "b", "domains", "www.acme.example"},
		"no id": {"id", "B b", "domains", "x.example"}, "no key": {"id", "b", "domains", "x.example", "caller", "b"},
		"wrong key":        {"id", "b", "domains", "x.example", "caller", "b", "key", "x"},
		"another's caller": {"id", "b", "domains", "x.example", "caller", "acme-cms", "key", key},
	} {
		p.get("/console/sales/tenants")
		if w := p.post("/console/sales/tenants", fields...); w.Code != 400 || s.Tenants.Get("b") != nil {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	viewer := s.atConsole(identity.Viewer)
	viewer.sees("/console/sales/tenants", 200, "You are a viewer")
	if strings.Contains(viewer.page, "Add a tenant") {
		t.Error("a viewer is given the form")
	}
	viewer.get("/console/")
	if w := viewer.post("/console/sales/tenants", "id", "c", "domains", "c.example"); w.Code != http.StatusForbidden ||
		s.Tenants.Get("c") != nil {
		t.Errorf("a viewer puts a tenant in: %d", w.Code)
	}
}
