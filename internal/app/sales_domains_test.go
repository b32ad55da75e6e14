package app

import (
	"html"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
)

// shownToken is the token that a page shows.
func shownToken(t *testing.T, page string) string {
	t.Helper()
	found := regexp.MustCompile(`name="token" value="([^"]+)"`).FindStringSubmatch(page)
	if found == nil {
		t.Fatal(page)
	}
	return html.UnescapeString(found[1])
}

// TestTheConsoleShowsAndVerifiesDomains follows a domain at the console: not verified, verified by
// the provider's own caller with a key, lapsed, verified by an operator's challenge, its key
// revoked, and forgotten; a viewer sees it all, and does nothing.
func TestTheConsoleShowsAndVerifiesDomains(t *testing.T) {
	t.Parallel()
	p := openProving(t)
	o := p.atConsole(identity.Operator)
	page := "/console/sales/domain?name=" + p.domain
	o.sees("/console/sales/domains", 200, p.domain, "www.acme.example", "www.other.example", "not verified", "never", `aria-current="page"`)
	o.sees("/console/sales/domains?state=verified", 200, "No domain fits")
	o.sees(page, 200, "not verified", "Start a challenge", "No key was registered", "There were no challenges",
		"/console/sales/tenant?id=acme")
	o.sees("/console/sales/domain?name=nobodys.example", 404)

	key := p.verify(hexKey, "hmac").GetKeyId()
	o.sees("/console/sales/domains?q="+p.domain, 200, `good">verified`, "challenge of acme", key, "hmac",
		p.clock.Now().Add(90*24*time.Hour).UTC().Format("2 Jan 2006"))
	o.sees(page, 200, "by a token at the domain and its ramp.json", "challenge of acme", "Revoke "+key, "signing",
		"Without a gap since")
	if strings.Contains(o.page, hexKey) || strings.Contains(o.page, "sealed") {
		t.Error("the page tells the key itself")
	}

	// It lapses where its provider names this Exchange no more, and says why.
	p.lists.Store(false)
	p.clock.Advance(2 * time.Hour)
	if err := p.App.exchange.lookDomains(t.Context()); err != nil {
		t.Fatal(err)
	}
	o = p.atConsole(identity.Operator)
	o.sees("/console/sales/domains?state=lapsed", 200, p.domain, "does not name this Exchange any more")
	p.lists.Store(true)

	// An operator's challenge: shown once, good for one look, and nothing for a caller.
	o.get(page)
	if w := o.post("/console/sales/domain", "name", p.domain, "do", "start"); w.Code != 200 ||
		!strings.Contains(o.page, "shown this once") || !strings.Contains(o.page, "/.well-known/ramp-verify/") {
		t.Fatalf("%d %s", w.Code, o.page)
	}
	token := shownToken(t, o.page)
	o.sees("/console/sales/domains?state=open", 200, p.domain, "1 open")
	o.sees(page, 200, "an operator", "open")
	if strings.Contains(o.page, token) {
		t.Error("the token is shown again")
	}
	if result, told := p.confirm("acme", p.domain, token); result.Verified ||
		!strings.HasPrefix(result.GetFailureReason(), "TOKEN_UNKNOWN") {
		t.Error("a caller uses the operator's challenge:", told)
	}
	p.does(says(404, "no"))
	o.get(page)
	if w := o.post("/console/sales/domain", "name", p.domain, "do", "look", "token", token); w.Code != 200 ||
		!strings.Contains(o.page, "The domain is not verified.") ||
		!strings.Contains(o.page, "with the status 404 instead of 200") {
		t.Fatalf("%d %s", w.Code, o.page)
	}
	p.does(nil)
	o.post("/console/sales/domain", "name", p.domain, "do", "start")
	token = shownToken(t, o.page)
	if w := o.post("/console/sales/domain", "name", p.domain, "do", "look", "token",
		token); w.Code != http.StatusSeeOther {
		t.Fatalf("%d %s", w.Code, o.page)
	}
	o.sees(page, 200, `good">verified`, "challenge of an operator", "challenge status", key) // the key stays
	o.get(page)
	if w := o.post("/console/sales/domain", "name", p.domain, "do", "look", "token", token); w.Code != 200 ||
		!strings.Contains(o.page, "the token was used before") {
		t.Errorf("%d %s", w.Code, o.page)
	}

	// What a viewer may not do, and what nobody can.
	viewer := p.atConsole(identity.Viewer)
	viewer.sees(page, 200, `good">verified`)
	for _, not := range []string{"Start a challenge", "Forget", "Revoke"} {
		if strings.Contains(viewer.page, not) {
			t.Errorf("a viewer is given %q", not)
		}
	}
	viewer.get("/console/")
	for _, do := range []string{"start", "look", "forget", "revoke"} {
		if w := viewer.post("/console/sales/domain", "name", p.domain, "do", do, "key", key, "token",
			"x"); w.Code != http.StatusForbidden {
			t.Errorf("a viewer's %s: %d", do, w.Code)
		}
	}
	for name, fields := range map[string][]string{
		"nothing": {"name", p.domain}, "another's key": {"name", "www.other.example", "do", "revoke", "key", key},
		"no such domain":              {"name", "x.example", "do", "start"},
		"one that was never verified": {"name", "www.other.example", "do", "forget"},
	} {
		o.get(page)
		if w := o.post("/console/sales/domain", fields...); w.Code != 400 && w.Code != 404 {
			t.Errorf("%s: %d", name, w.Code)
		}
	}

	o.get(page)
	if w := o.post("/console/sales/domain", "name", p.domain, "do", "revoke", "key",
		key); w.Code != http.StatusSeeOther {
		t.Fatal(w.Code)
	}
	o.sees(page, 200, "revoked")
	o.get(page)
	if w := o.post("/console/sales/domain", "name", p.domain, "do", "forget"); w.Code != http.StatusSeeOther ||
		p.Tenants.Proven(p.domain) != nil {
		t.Fatal(w.Code)
	}
	o.sees(page, 200, "not verified")
}
