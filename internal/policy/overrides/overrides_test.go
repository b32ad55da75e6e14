package overrides

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

var noon = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

func licensed(path, rate string) policy.Rule {
	return policy.Rule{
		Match: policy.Match{Path: []string{path}}, Access: policy.Licensed,
		Price:     policy.Price{Model: "per_access", Rate: rate, Currency: "USD"},
		Reporting: policy.Reporting{Window: 90 * time.Minute},
	}
}

// TestTheBookIsKept puts, replaces and removes rules and prices, and reads them from another
// keeper.
func TestTheBookIsKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db, now, ctx := open(t, Schema), noon, t.Context()
		k := New(db, nil, func() time.Time { return now })
		var told []string
		k.OnChange(func(ctx context.Context, tx *store.Tx, c Change) error {
			told = append(told, strings.TrimSpace(c.Action+" "+c.Rule.ID+c.Price.Site))
			return nil
		})
		put := func(id string, place int64, rule policy.Rule, isFresh bool) {
			t.Helper()
			r, fresh, err := k.Put(ctx, Rule{ID: id, Place: place, Rule: rule})
			if err != nil || fresh != isFresh || id != "" && r.ID != id || r.ID == "" {
				t.Fatalf("%+v, %v, %v", r, fresh, err)
			}
		}
		put("b", 10, licensed("/b/**", "0.02"), true)
		put("a", 10, licensed("/a/**", "0.03"), true)
		put("", 20, policy.Rule{Match: policy.Match{Type: []string{"Recipe"}}, Access: policy.Open}, true)
		now = noon.Add(time.Hour)
		put("b", 5, licensed("/b/*", "0.04"), false)
		if _, err := k.SetPrice(ctx, "main",
			policy.Price{Model: "per_access", Rate: "0.5", Currency: "EUR"}); err != nil {
			t.Fatal(err)
		}
		other := New(db, []string{"GPTBot"}, time.Now)
		book, err := other.Read(ctx)
		if err != nil || len(book.Rules) != 3 || len(book.Prices) != 1 {
			t.Fatalf("%+v, %v", book, err)
		}
		b := book.Rules[0]
		if b.ID != "b" || !b.Created.Equal(noon) || !b.Changed.Equal(now) || b.Match.Path[0] != "/b/*" ||
			b.Price.Rate != "0.04" || b.Reporting.Window != 90*time.Minute {
			t.Errorf("%+v", b)
		}
		if book.Rules[1].ID != "a" || !strings.HasPrefix(book.Rules[2].ID, "rule-") ||
			book.Prices[0].Price.Currency != "EUR" || book.Prices[0].Site != "main" {
			t.Errorf("%+v", book)
		}
		if version, err := other.Version(ctx); err != nil || version != book.Version || version != 5 {
			t.Errorf("version %d, %v", version, err)
		}
		if err := k.Remove(ctx, "a"); err != nil {
			t.Error(err)
		}
		if err := k.Remove(ctx, "a"); fail.From(err).Code != fail.NotFound {
			t.Errorf("again: %v", err)
		}
		if _, err := k.SetPrice(ctx, "main", policy.Price{}); err != nil {
			t.Error(err)
		}
		if book, err := other.Read(ctx); err != nil || len(book.Rules) != 2 || len(book.Prices) != 0 ||
			book.Version != 7 {
			t.Errorf("%+v, %v", book, err)
		}
		if got := strings.Join(told[:2], ", ") + strings.Join(told[3:], ", "); got != "put b, put aput b, price "+
			"main, remove a, price main" {
			t.Errorf("told: %v", told)
		}
	})
}

// TestWhatIsNoRuleChangesNothing holds what is refused, and that a change that cannot be told of is
// undone.
func TestWhatIsNoRuleChangesNothing(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, Schema)
	k := New(db, []string{"GPTBot"}, time.Now)
	for name, v := range map[string]struct {
		rule  Rule
		words string
	}{
		"an id with blanks":      {Rule{ID: "a b", Rule: licensed("/a", "1")}, "id"},
		"an id that is too long": {Rule{ID: strings.Repeat("a", 65), Rule: licensed("/a", "1")}, "id"},
		"a place below 0":        {Rule{ID: "a", Place: -1, Rule: licensed("/a", "1")}, "order"},
		"a wrong path":           {Rule{ID: "a", Rule: licensed("a", "1")}, "content rule a, match.path[0]"},
		"a wrong rate":           {Rule{ID: "a", Rule: licensed("/a", "-1")}, "price.rate"},
		"an agent of no list":    {Rule{ID: "a", Rule: forParty("GPTBoot")}, "parties.prohibit[0]"},
		"no access":              {Rule{ID: "a", Rule: policy.Rule{}}, "access"},
		"a rule that is large": {Rule{ID: "a",
			Rule: policy.Rule{Match: policy.Match{Source: many(2000)}, Access: policy.Open}}, "bytes"},
	} {
		if _, _, err := k.Put(t.Context(), v.rule); fail.From(err).Code != fail.Invalid ||
			!strings.Contains(err.Error(), v.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := k.Put(t.Context(), Rule{ID: "named", Rule: forParty("GPTBot")}); err != nil {
		t.Errorf("an agent of the list: %v", err)
	}
	if err := k.Remove(t.Context(), "named"); err != nil {
		t.Fatal(err)
	}
	if _, err := k.SetPrice(t.Context(), "main", policy.Price{Model: "per_access"}); fail.From(err).Code !=
		fail.Invalid {
		t.Errorf("a price without a rate: %v", err)
	}
	before, err := k.Read(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k.OnChange(func(context.Context, *store.Tx, Change) error { return errors.New("the ledger is full") })
	if _, _, err := k.Put(t.Context(), Rule{ID: "a", Rule: licensed("/a", "1")}); err == nil {
		t.Error("a change that is not told of is made")
	}
	if book, err := k.Read(t.Context()); err != nil || len(book.Rules) != 0 || book.Version != before.Version {
		t.Errorf("%+v, %v", book, err)
	}
	k.OnChange(nil)
	for n := range MaxRules {
		if _, _, err := k.Put(t.Context(), Rule{ID: fmt.Sprint("r", n), Rule: licensed("/a", "1")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := k.Put(t.Context(), Rule{Rule: licensed("/a", "1")}); fail.From(err).Code != fail.Invalid {
		t.Errorf("one too many: %v", err)
	}
	if _, fresh, err := k.Put(t.Context(), Rule{ID: "r7", Rule: licensed("/b", "1")}); err != nil || fresh {
		t.Errorf("one in the place of another: %v, %v", fresh, err)
	}
}

func many(n int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprint("a-source-by-the-number-", i))
	}
	return all
}

// forParty is a rule that keeps an agent out.
func forParty(word string) policy.Rule {
	return policy.Rule{Access: policy.Open, Parties: policy.Restriction{Prohibit: []string{word}}}
}
