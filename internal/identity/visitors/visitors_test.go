package visitors

import (
	"context"
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// known is a list of agents for tests.
var known = []agents.Known{
	{Operator: "Acme", Origin: "https://acme.example", Kind: "training", UserAgent: "AcmeBot"},
	{Operator: "Acme", Origin: "https://acme.example", Kind: "assistant", UserAgent: "Acme-User"},
	{Operator: "Globex", Origin: "https://globex.example", Kind: "search", UserAgent: "globexbot"},
}

type kit struct {
	*testing.T
	c     *Counter
	store *Store
	db    *store.DB
	at    time.Time
}

// each runs a test on every engine.
func each(t *testing.T, test func(t *testing.T, x *kit)) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		t.Parallel()
		x := &kit{T: t, db: open(t, Schema), at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
		d := NewDirectory(known)
		x.c = NewCounter(Options{DB: x.db, Keep: 90 * day, Now: func() time.Time { return x.at }}, d)
		x.store = NewStore(x.db, d)
		test(t, x)
	})
}

func (x *kit) flush() {
	x.Helper()
	if err := x.c.Flush(x.Context()); err != nil {
		x.Fatal(err)
	}
}

// list is what a list has, a line a visitor.
func (x *kit) list(f Filter) (lines []string) {
	x.Helper()
	x.flush()
	if f.Since.IsZero() {
		f.Since, f.Until = x.at.Add(-6*day), x.at
	}
	all, err := x.store.List(x.Context(), f)
	if err != nil {
		x.Fatal(err)
	}
	for _, v := range all {
		lines = append(lines, fmt.Sprintf("%s %s %s %v %v %d", v.ID, v.Operator, v.Kind, v.Known, v.Counts, v.Before))
	}
	return lines
}

func (x *kit) want(got []string, want ...string) {
	x.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		x.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestVisitsAreCountedByAgentAndDay(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		x.at = x.at.Add(-7 * day)
		x.c.Count(Visit{"AcmeBot", "word", "feeds", Read})
		x.flush()
		x.at = x.at.Add(7 * day)
		for range 3 {
			x.c.Count(Visit{"AcmeBot", "word", "robots.txt", Read})
		}
		x.c.Count(Visit{"AcmeBot", "signed", "ask", Asked})
		x.flush()
		x.c.Count(Visit{"AcmeBot", "signed", "ask", Asked})
		x.c.Count(Visit{"AcmeBot", "signed", "ask", Denied})
		x.c.Count(Visit{"requester:buyer.example", ByKey, "ramp", Paid})
		x.c.Count(Visit{People, "", "ask", Asked})
		x.want(x.list(Filter{}), "AcmeBot Acme training [signed word] {2 3 0 1} 1",
			"people  people [] {1 0 0 0} 0", "requester:buyer.example buyer.example buyer [key] {0 0 1 0} 0")
		x.want(x.list(Filter{Search: "ACME"}), "AcmeBot Acme training [signed word] {2 3 0 1} 1")
		x.want(x.list(Filter{Since: x.at.Add(-9 * day), Until: x.at.Add(-2 * day)}),
			"AcmeBot Acme training [word] {0 1 0 0} 0")

		d, err := x.store.Get(t.Context(), "AcmeBot", x.at.Add(-30*day), x.at)
		if err != nil || len(d.Days) != 2 || d.Days[1].Read != 3 || !d.Days[1].Day.Equal(x.at.Truncate(day)) {
			t.Errorf("%+v, %v", d, err)
		}
		x.want([]string{fmt.Sprint(d.Parts[0].Channel, d.Parts[0].Known, d.Parts[0].Counts)}, "asksigned{2 0 0 1}")
		if d, err = x.store.Get(t.Context(), "none", x.at, x.at); err != nil || d.All() != 0 {
			t.Errorf("of one that did not come: %+v, %v", d, err)
		}
	})
}

// TestTodayIsAlwaysAsItIs lists the same days again and again, of which those that are over are
// remembered.
func TestTodayIsAlwaysAsItIs(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		x.at = x.at.Add(-day)
		x.c.Count(Visit{"AcmeBot", "word", "feeds", Read})
		x.flush()
		x.at = x.at.Add(day)
		for n := range 3 {
			x.c.Count(Visit{"AcmeBot", "signed", "ask", Asked})
			x.c.Count(Visit{"OtherBot", "word", "ask", Denied})
			x.want(x.list(Filter{Search: "acme"}), fmt.Sprintf("AcmeBot Acme training [signed word] {%d 1 0 0} 0", n+1))
		}
		for days := range time.Duration(6) {
			want := "AcmeBot Acme training [signed word] {3 1 0 0} 0"
			if days == 0 {
				want = "AcmeBot Acme training [signed] {3 0 0 0} 1"
			}
			x.want(x.list(Filter{Search: "acme", Since: x.at.Add(-days * day), Until: x.at}), want)
		}
	})
}

// TestStrangersBeyondABoundAreOthers has a flood of domains come that sign or sign up, and some
// that are known besides.
func TestStrangersBeyondABoundAreOthers(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		for n := range 3 * maxStrangers {
			x.c.Count(Visit{fmt.Sprintf("a%d.example", n), "signed", "ask", Asked})
			x.c.Count(Visit{fmt.Sprintf("requester:a%d.example", n), ByKey, "ramp", Asked})
		}
		for n := range 10 {
			x.c.Count(Visit{fmt.Sprintf("key:k%d", n), ByKey, "ask", Asked})
		}
		x.c.Count(Visit{"Acme-User", "word", "ask", Asked})
		x.c.Count(Visit{"acme.example", "signed", "ask", Asked})
		got := x.list(Filter{})
		others := fmt.Sprintf("others  others [signed key] {%d 0 0 0} 0", 5*maxStrangers)
		if len(got) != maxStrangers+1+10+2 || got[0] != others {
			t.Errorf("%d rows, %s", len(got), got[0])
		}
		x.at = x.at.Add(day)
		x.c.Count(Visit{"b.example", "signed", "ask", Asked})
		if got := x.list(Filter{Search: "b.example"}); len(got) != 1 {
			t.Errorf("on the next day: %v", got)
		}
	})
}

func TestWhatCannotBeWrittenIsCountedLater(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, Schema)
	d := NewDirectory(known)
	c := NewCounter(Options{DB: db, Keep: day}, d)
	c.Count(Visit{"AcmeBot", "word", "ask", Asked})
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Flush(gone); err == nil {
		t.Fatal("it was written")
	}
	c.Count(Visit{"AcmeBot", "word", "ask", Asked})
	if err := c.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	all, err := NewStore(db, d).List(t.Context(), Filter{Since: time.Now(), Until: time.Now().Add(time.Hour)})
	if err != nil || len(all) != 1 || all[0].Asked != 2 {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestOldDaysAreRemoved(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		x.c.Count(Visit{"AcmeBot", "word", "ask", Asked})
		x.flush()
		began := x.at
		left := func() int {
			if err := x.c.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
			return len(x.list(Filter{Since: began, Until: began}))
		}
		x.at = x.at.Add(89 * day)
		if n := left(); n != 1 {
			t.Errorf("%d after 89 days", n)
		}
		x.at = x.at.Add(day)
		if n := left(); n != 0 {
			t.Errorf("%d after 90 days", n)
		}
		x.at = began
		x.c.Count(Visit{"AcmeBot", "word", "ask", Asked})
		x.flush()
		x.c.options.Keep = 0
		x.c.Count(Visit{"AcmeBot", "word", "ask", Asked})
		if n := left(); n != 0 {
			t.Errorf("%d where nothing is kept", n)
		}
	})
}

// TestWhoSaysAsWhomARequestCounts holds each way of being known.
func TestWhoSaysAsWhomARequestCounts(t *testing.T) {
	t.Parallel()
	d := NewDirectory(known)
	const browser = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	for name, c := range map[string]struct {
		agent            agents.Agent
		party, userAgent string
		want             string
	}{
		"nobody":       {agents.Agent{}, "", "", "others "},
		"a browser":    {agents.Agent{}, "", browser, "people "},
		"a crawler":    {agents.Agent{}, "", "Mozilla/5.0 (compatible; NewBot/1.0; +https://new.example)", "others "},
		"by word":      {agents.Agent{Name: "AcmeBot", Known: agents.ByWord}, "", "AcmeBot", "AcmeBot word"},
		"by address":   {agents.Agent{Name: "AcmeBot", Known: agents.ByAddress}, "", "", "AcmeBot address"},
		"a key":        {agents.Agent{}, "key:k1", browser, "key:k1 key"},
		"a bot's key":  {agents.Agent{Name: "AcmeBot", Known: agents.ByWord}, "key:k1", "AcmeBot", "key:k1 key"},
		"signed":       {signedBy("https://acme.example", "AcmeBot", nil), "key:k1", "", "AcmeBot signed"},
		"an operator":  {signedBy("https://acme.example", "", nil), "", "", "acme.example signed"},
		"an unlisted":  {signedBy("https://b.new.com", "", nil), "", "", "new.com signed"},
		"of anybody's": {signedBy("https://b.github.io", "", nil), "", "", "others signed"},
		"an address":   {signedBy("https://192.0.2.7", "", nil), "", "", "others signed"},
	} {
		if id, known := d.Who(c.agent, c.party, c.userAgent); id+" "+known != c.want {
			t.Errorf("%s: %q, %q, want %q", name, id, known, c.want)
		}
	}
}

func BenchmarkCount(b *testing.B) {
	c := NewCounter(Options{DB: storetest.OpenSQLite(b, Schema), Keep: day}, NewDirectory(known))
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			c.Count(Visit{"AcmeBot", "word", "ask", Asked})
		}
	})
}
