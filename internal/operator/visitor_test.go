package operator

import (
	"fmt"
	"testing"
	"time"

	"frontdesk/internal/identity/agents"
	"frontdesk/internal/identity/visitors"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/testkit/storetest"
)

// TestVisitorsAreListedAndTreated holds who is listed, with which treatment.
func TestVisitorsAreListedAndTreated(t *testing.T) {
	t.Parallel()
	db := storetest.OpenSQLite(t, visitors.Schema)
	now := func() time.Time { return time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC) }
	directory := visitors.NewDirectory([]agents.Known{
		{Operator: "Acme", Origin: "https://acme.example", Kind: "training", UserAgent: "AcmeBot"},
		{Operator: "Globex", Origin: "https://globex.example", Kind: "search", UserAgent: "globexbot"},
	})
	counter := visitors.NewCounter(visitors.Options{DB: db, Keep: time.Hour, Now: now}, directory)
	for range 2 {
		counter.Count(visitors.Visit{Agent: "AcmeBot", Known: "word", Channel: "feeds", What: visitors.Read})
	}
	counter.Count(visitors.Visit{Agent: visitors.People, Channel: "ask", What: visitors.Asked})
	if err := counter.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	o := &Operator{Now: now}
	o.Visitors.Store = visitors.NewStore(db, directory)
	o.Visitors.Treatments = visitors.NewTreatments(db, directory, now)
	check := func(in ListVisitors, want string) {
		t.Helper()
		list, err := in.Do(t.Context(), o)
		got := ""
		for _, v := range list.Visitors {
			got += fmt.Sprint(v.Agent, " ", v.Visits(), " ", v.Treatment, v.Rate, v.TreatedAs, "; ")
		}
		if got != want || err != nil {
			t.Errorf("%+v: %q, %v, want %q", in, got, err, want)
		}
	}
	check(ListVisitors{}, "AcmeBot 2 allow0; people 1 allow0; ")
	ctx := WithActor(t.Context(), "key:k1")
	for _, do := range []Doer[visitors.Treated]{
		BlockVisitor{VisitorName{"ACME.example"}}, LimitVisitor{VisitorName{"Globexbot"}, 60},
		AskVisitor{VisitorName{"others"}},
	} {
		if _, err := do.Do(ctx, o); err != nil {
			t.Fatal(err)
		}
	}
	check(ListVisitors{}, "AcmeBot 2 block0acme.example; people 1 allow0; acme.example 0 block0acme.example; "+
		"globexbot 0 limit60globexbot; others 0 require_key0others; ")
	check(ListVisitors{Search: "GLOBEX", VisitorRange: VisitorRange{"7d"}}, "globexbot 0 limit60globexbot; ")
	if _, err := (AllowVisitor{VisitorName{"acmebot"}}).Do(ctx, o); err != nil {
		t.Fatal(err)
	}
	check(ListVisitors{Search: "acmebot"}, "AcmeBot 2 allow0AcmeBot; ")

	d, err := (ShowVisitor{VisitorName{"acmebot"}, VisitorRange{"90d"}}).Do(ctx, o)
	if err != nil || d.Read != 2 || len(d.Days) != 1 || d.Days[0].Day != "2026-11-20" ||
		d.Channels[0].Channel != "feeds" {
		t.Errorf("%+v, %v", d, err)
	}
	_, err = (ShowVisitor{VisitorName: VisitorName{"nobody.example"}}).Do(ctx, o)
	if fail.From(err).Code != fail.NotFound {
		t.Error(err)
	}
	if _, err := (ListVisitors{VisitorRange: VisitorRange{"1d"}}).Do(ctx, o); fail.From(err).Code != fail.Invalid {
		t.Error(err)
	}
	if all := o.Visitors.Treatments.All(); len(all) != 4 || all[0].By != "key:k1" {
		t.Errorf("%+v", all)
	}
}
