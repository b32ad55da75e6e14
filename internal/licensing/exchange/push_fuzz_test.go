package exchange_test

import (
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/testkit/saletest"
	"frontdesk/internal/testkit/storetest"
)

// FuzzPushedPath pushes an entry at a path, and asks for another: what is taken is offered at its
// own address, what looks like one address is offered there alone, and it is taken out by the path
// by which it was put in. What is refused is offered nowhere.
func FuzzPushedPath(f *testing.F) {
	for _, path := range []string{"/a", "/a/", "/a*", "/a/../", "/a/..", "/a/.", `/a\`, "/%2e%2e", "/a%2F", "/a?b=c/",
		"/*", "/a*b", "//", "/\u00e9", "/a#b", "a", "", "/\xff", "/a/%2e", "/a?x=/.."} {
		f.Add(path, "/abc")
		f.Add(path, "/")
	}
	s := supplierOn(f, storetest.OpenSQLite(f, saletest.Schemas...))
	p := &pusher{supplier: s, by: acme}
	at := func(t *testing.T, path string) (found map[string]bool, absent exchange.Absence) {
		groups, err := s.Discover(t.Context(), asking("https://"+acmeHost+path), plainly)
		if err != nil {
			t.Fatal(err)
		}
		found = map[string]bool{}
		for _, o := range groups[0].Offers {
			found[o.Package.Title] = true
		}
		return found, groups[0].Absence
	}
	f.Fuzz(func(t *testing.T, path, other string) {
		// no message has such texts
		if len(path) > 200 || len(other) > 200 || !utf8.ValidString(path) || !utf8.ValidString(other) {
			return
		}
		accepted, rejected, err := p.Suppliers.Push(t.Context(), acme, "acme", 1, func(int) exchange.PushedEntry {
			return exchange.PushedEntry{Domain: acmeHost, Path: path, Entry: push.Entry{Title: "it"}}
		})
		if err != nil || accepted+rejected != 1 {
			t.Fatalf("%q: %d, %d, %v", path, accepted, rejected, err)
		}
		own, err := catalog.Canonical("https://" + acmeHost + path)
		if accepted == 1 && err != nil {
			t.Fatalf("%q is taken, and is no address: %v", path, err)
		}
		asked, wrong := catalog.Canonical("https://" + acmeHost + other)
		if accepted == 0 {
			if found, _ := at(t, other); wrong == nil && len(found) > 0 {
				t.Fatalf("%q was refused, and sells %q", path, other)
			}
			return
		}
		// no address that could be mistaken is signed
		if found, absent := at(t, path); !maps.Equal(found, map[string]bool{"it": true}) && absent != exchange.NotNow {
			t.Fatalf("%q is not offered: %s", path, absent)
		}
		if plain := !strings.Contains(path, "*") && !strings.HasSuffix(path, "/"); wrong == nil && plain &&
			asked != own {
			if found, _ := at(t, other); len(found) > 0 {
				t.Fatalf("%q sells %q", path, other)
			}
		}
		removed, err := p.Suppliers.Withdraw(t.Context(), acme, "acme", []string{path})
		if found, _ := at(t, path); removed != 1 || err != nil || len(found) > 0 {
			t.Fatalf("%q cannot be taken out: %d, %v", path, removed, err)
		}
	})
}
