package exchange_test

import (
	"fmt"
	"slices"
	"testing"

	"frontdesk/internal/licensing/exchange"
	"frontdesk/internal/policy"
)

// TestTheShelfSaysWhatIsSoldForHowMuch holds what the owner sees of an item against what a
// requester is offered of it.
func TestTheShelfSaysWhatIsSoldForHowMuch(t *testing.T) {
	t.Parallel()
	d := shop(t)
	blocked := policy.Rule{Match: policy.Match{Path: []string{"/a/2"}}, Access: policy.Blocked}
	scoped := licensed("/a/3", cent)
	scoped.Scopes = []string{"site.example:gold"}
	d.Price(t, blocked, scoped, licensed("/a/**", cent))
	look := func(b exchange.CatalogFilter) map[string]string {
		t.Helper()
		got := map[string]string{}
		b.Limit = 50
		for {
			all, next, err := d.Assortment.ListCatalog(t.Context(), b)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range all {
				got[s.URL] = fmt.Sprintf("%s %d %s %d %s", s.Price.Model, s.Rule, s.Access, s.Worth, s.Absence)
			}
			if b.Before = next; next == 0 {
				return got
			}
		}
	}
	all := look(exchange.CatalogFilter{})
	for path, want := range map[string]string{
		"a/1": "per_access 2 licensed 1000000 ", "a/2": " 0 blocked 0 blocked", "a/3": "per_access 1 licensed 1000000 ",
		"t/1": "per_token 3 licensed 132000000 ", "r/1": "revenue_share 4 licensed 0 ",
		"n/1": "attribution 5 licensed 0 ",
	} {
		if got := all[address(path)]; got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		if one := look(exchange.CatalogFilter{Find: address(path)}); len(one) != 1 ||
			one[address(path)] != all[address(path)] {
			t.Errorf("%s by its address: %v", path, one)
		}
	}
	if len(all) != 6 {
		t.Errorf("%d are on the shelf: %v", len(all), all)
	}
	if none := look(exchange.CatalogFilter{Site: "elsewhere"}); len(none) != 0 {
		t.Errorf("of another site: %v", none)
	}
	if some := look(exchange.CatalogFilter{Find: "/a/"}); len(some) != 3 {
		t.Errorf("by a part of the address: %v", some)
	}
	// What the shelf says is sold is offered, at that price; what it says is not is not.
	gold := bot
	gold.Granted = []string{"*"}
	shelved, _, err := d.Assortment.ListCatalog(t.Context(), exchange.CatalogFilter{Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shelved {
		q := asking(s.URL)
		q.By = gold
		quoted, err := d.Discover(t.Context(), q, plainly)
		if err != nil {
			t.Fatal(err)
		}
		if quoted[0].Absence != s.Absence {
			t.Errorf("%s: %q is told, and %q on the shelf", s.URL, quoted[0].Absence, s.Absence)
		}
		if s.Absence == "" && (quoted[0].Offers[0].Price != s.Price || quoted[0].Offers[0].Quantity != s.Quantity ||
			quoted[0].Offers[0].Report.Seconds != s.Report.Seconds ||
			!slices.Equal(quoted[0].Offers[0].Report.Fields, s.Report.Fields)) {
			t.Errorf("%s: offered %+v, on the shelf %+v", s.URL, quoted[0].Offers[0], s)
		}
	}
}
