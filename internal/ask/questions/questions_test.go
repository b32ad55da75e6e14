package questions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

var noon = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

// kit is a keeper on a database, and its clock.
type kit struct {
	t  *testing.T
	k  *Keeper
	s  *Store
	at time.Time
}

func newKit(t *testing.T, db *store.DB) *kit {
	x := &kit{t: t, at: noon}
	now := func() time.Time { return x.at }
	x.k = NewKeeper(Options{DB: db, Secret: []byte("a secret"), Keep: 90 * day, Now: now})
	x.s = NewStore(db, now)
	return x
}

// ask keeps a question of a person at an address.
func (x *kit) ask(text, address string, change ...func(*Asked)) string {
	a := Asked{Source: Source{Protocol: "ask", Kind: Person, Address: address, Beacon: true}, Text: text,
		Language: "en",
		Outcome:  Answered, Score: 80, URL: "https://example.com/a", Name: "A", Results: 3}
	for _, one := range change {
		one(&a)
	}
	return x.k.Keep(a)
}

func (x *kit) flush() {
	x.t.Helper()
	if err := x.k.Flush(x.t.Context()); err != nil {
		x.t.Fatal(err)
	}
}

func (x *kit) list(f Filter) []Question {
	x.t.Helper()
	x.flush()
	all, _, err := x.s.List(x.t.Context(), f)
	if err != nil {
		x.t.Fatal(err)
	}
	return all
}

// texts are what a list has, each with its times.
func (x *kit) texts(f Filter) (all []string) {
	x.t.Helper()
	for _, q := range x.list(f) {
		all = append(all, fmt.Sprintf("%s %d", q.Text, q.Times))
	}
	return all
}

func (x *kit) want(f Filter, want ...string) {
	x.t.Helper()
	if got := x.texts(f); !slices.Equal(got, want) {
		x.t.Errorf("%+v gives %q, want %q", f, got, want)
	}
}

func outcome(o Outcome) func(*Asked) {
	return func(a *Asked) {
		if a.Outcome = o; o == Nothing {
			a.Score, a.URL, a.Name, a.Results = 0, "", "", 0
		}
	}
}

func by(protocol, kind, agent string) func(*Asked) {
	return func(a *Asked) { a.Protocol, a.Kind, a.Agent = protocol, kind, agent }
}

func owner(a *Asked) { a.Owner = true }

func each(t *testing.T, test func(t *testing.T, x *kit)) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		test(t, newKit(t, open(t, Schema)))
	})
}

func TestQuestionsAreGroupedByTheirNormalForm(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		x.ask("Do you ship to Zürich?", "a")
		x.ask("do you ship to zurich", "b")
		x.at = x.at.Add(time.Second)
		x.ask("DO YOU SHIP TO ZURICH!", "c")
		x.ask("opening hours", "a")
		x.ask("opening hours", "b", by("mcp", "assistant", "ChatGPT-User"))
		all := x.list(Filter{})
		if len(all) != 2 || all[0].Text != "DO YOU SHIP TO ZURICH!" || all[0].Times != 3 || all[1].People != 1 ||
			all[1].Agents != 1 {
			t.Fatalf("got %+v", all)
		}
		if want := []string{"Do you ship to Zürich?", "do you ship to zurich"}; !slices.Equal(all[0].Variants, want) {
			t.Errorf("variants %q, want %q", all[0].Variants, want)
		}
		if q := all[0]; q.Score != 80 || q.URL != "https://example.com/a" || q.Language != "en" ||
			!q.Last.Equal(x.at) || !q.First.Equal(noon) {
			t.Errorf("got %+v", q)
		}
		x.want(Filter{Who: Agents}, "opening hours 2")
	})
}

func TestViewsHaveQuestionsByWhatBecameOfThemLast(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		for _, address := range []string{"a", "b"} {
			x.ask("thermos", address, outcome(Nothing))
			x.ask("gift", address, outcome(AskedBack))
			x.ask("grinder", address, outcome(Weak))
			x.ask("hours", address)
			x.ask("prices", address, by("mcp", OtherAgent, ""))
		}
		x.want(Filter{View: ViewNothing}, "thermos 2")
		x.want(Filter{View: ViewWeak}, "grinder 2")
		x.want(Filter{View: ViewAskedBack}, "gift 2")
		x.want(Filter{View: ViewNoClick}, "hours 2")
		if all := x.texts(Filter{}); len(all) != 5 {
			t.Errorf("all are %q", all)
		}
		x.ask("thermos", "a")
		x.want(Filter{View: ViewNothing})
		x.ask("thermos", "a", outcome(Nothing), func(a *Asked) { a.Narrowed = true })
		x.want(Filter{View: ViewNothing}) // as a stranger's least score of 100 says nothing of the words
		x.want(Filter{View: ViewNoClick}, "thermos 4", "hours 2")
	})
}

func TestATextIsShownOnceTwoAddressesOrTheOwnerAsked(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		x.ask("is my order at the shop", "a")
		x.flush()
		x.ask("Is my order at the shop?", "a")
		if all := x.list(Filter{}); len(all) != 1 || !all[0].Hidden || all[0].Text != "" || all[0].Variants != nil ||
			all[0].Times != 2 {
			t.Fatalf("of one address: %+v", all)
		}
		x.want(Filter{Search: "order"}) // nor is it found by its words
		if latest, err := x.s.Latest(t.Context(), 5); err != nil || len(latest) != 1 || !latest[0].Hidden {
			t.Errorf("%+v, %v", latest, err)
		}
		x.ask("is my order at the shop", "b")
		x.want(Filter{Search: "order"}, "is my order at the shop 3")
		x.ask("mine", "a", owner)
		x.want(Filter{Search: "mine"}, "mine 1")
	})
}

func TestWhoAskedIsForgottenAfterADay(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		x.ask("slow question", "a")
		x.flush()
		x.at = x.at.Add(25 * time.Hour)
		if err := x.k.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		hashes := 0
		if err := x.k.options.DB.View(t.Context(), func(tx *store.Tx) error {
			return tx.Each(t.Context(), `SELECT seen FROM question_form`, func(row store.Scanner) error {
				var seen []byte
				err := row.Scan(&seen)
				hashes += len(seen)
				return err
			})
		}); err != nil || hashes != 0 {
			t.Errorf("%d bytes of hashes are kept: %v", hashes, err)
		}
		x.ask("slow question", "b") // the first of which anything is known
		if all := x.list(Filter{}); !all[0].Hidden || all[0].Times != 2 {
			t.Errorf("got %+v", all)
		}
		x.ask("slow question", "c")
		x.want(Filter{}, "slow question 3")
	})
}

func TestNothingPersonalIsStored(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		x.ask("I am Anna Gruber, anna@example.com, +43 660 123 45 67, where is order 4711-0815-22?", "192.0.2.7",
			func(a *Asked) { a.Names = []string{"anna.gruber@example.com", "Gruber"} }, owner)
		x.flush()
		for _, table := range []string{"question_form", "question_variant", "question_day", "question_sum",
			"question_state"} {
			if err := x.k.options.DB.View(t.Context(), func(tx *store.Tx) error {
				rows, err := tx.Query(t.Context(), `SELECT * FROM `+table)
				if err != nil {
					return err
				}
				defer rows.Close()
				columns, err := rows.Columns()
				if err != nil {
					return err
				}
				for rows.Next() {
					values, targets := make([]any, len(columns)), make([]any, len(columns))
					for i := range values {
						targets[i] = &values[i]
					}
					if err := rows.Scan(targets...); err != nil {
						return err
					}
					values = slices.DeleteFunc(values, func(v any) bool { _, number := v.(int64); return number })
					row := strings.ToLower(fmt.Sprintf("%s", values))
					for _, secret := range []string{"anna", "gruber", "example.com,", "660", "4711", "0815",
						"192.0.2"} {
						if strings.Contains(row, secret) {
							t.Errorf("%s has %q: %s", table, secret, row)
						}
					}
				}
				return rows.Err()
			}); err != nil {
				t.Fatal(err)
			}
		}
		if all := x.list(Filter{}); len(all) != 1 || !strings.Contains(all[0].Text, "where is order [number]") {
			t.Errorf("got %+v", all)
		}
	})
}

func TestRangesEndWithThePresentDay(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		for _, ago := range []int{40, 20, 8, 3, 0} {
			x.at = noon.AddDate(0, 0, -ago)
			x.ask("tea", "a", owner)
			if ago > 10 {
				x.ask("coffee", "a", owner)
			}
			x.flush()
			if err := x.k.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		x.want(Filter{Range: LastWeek}, "tea 2")
		x.want(Filter{Range: LastMonth}, "tea 4", "coffee 1")
		x.want(Filter{Range: AllKept}, "tea 5", "coffee 2")
		if q := x.list(Filter{Range: LastWeek})[0]; q.Before != 1 {
			t.Errorf("the week before: %d", q.Before)
		}
		x.at = noon.AddDate(0, 0, 12)
		if err := x.k.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.want(Filter{Range: LastWeek})
		x.want(Filter{Range: LastMonth}, "tea 3")
		x.at = noon.AddDate(0, 0, 91)
		if err := x.k.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		x.want(Filter{Range: AllKept})
		if n := x.rows("question_form") + x.rows("question_day") + x.rows("question_variant") +
			x.rows("question_sum"); n != 0 {
			t.Errorf("%d rows are older than is kept", n)
		}
	})
}

func (x *kit) rows(table string) (n int) {
	x.t.Helper()
	if err := x.k.options.DB.View(x.t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(x.t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&n)
	}); err != nil {
		x.t.Fatal(err)
	}
	return n
}

func TestWhereNothingIsKeptWhatWasKeptGoes(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		x.ask("tea", "a", owner)
		x.flush()
		x.k.options.Keep = 0
		if answer := x.ask("coffee", "a", owner); answer != "" {
			t.Errorf("an answer got the id %q", answer)
		}
		x.flush()
		if err := x.k.Sweep(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n := x.rows("question_form") + x.rows("question_day") + x.rows("question_variant") +
			x.rows("question_sum"); n != 0 {
			t.Errorf("%d rows are kept", n)
		}
	})
}

func TestListsGoOnWhereTheyEnded(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		for n := range 23 {
			for range n%3 + 1 {
				x.ask(fmt.Sprintf("question %d", n), "a", owner, outcome([]Outcome{Answered, Nothing, Weak}[n%3]))
			}
		}
		x.flush()
		var all []string
		last := int64(100)
		for after, pages := "", 0; ; pages++ {
			part, next, err := x.s.List(t.Context(), Filter{After: after, Limit: 5})
			if err != nil || pages > 5 {
				t.Fatal(pages, err)
			}
			for _, q := range part {
				if q.Times > last {
					t.Errorf("%s was asked %d times, and stands behind one of %d", q.Text, q.Times, last)
				}
				last = q.Times
				all = append(all, q.Text)
			}
			if after = next; next == "" {
				break
			}
		}
		slices.Sort(all)
		if len(slices.Compact(all)) != 23 {
			t.Errorf("%d questions: %q", len(all), all)
		}
		for _, wrong := range []Filter{{After: "x"}, {After: "1-?"}, {View: "x"}, {Range: "1y"}, {Who: "x"}} {
			if _, _, err := x.s.List(t.Context(), wrong); fail.From(err).Code != fail.Invalid {
				t.Errorf("%+v: %v", wrong, err)
			}
		}
		found := x.texts(Filter{Search: "Question 1?", View: ViewNothing})
		slices.Sort(found)
		if want := []string{"question 1 2", "question 10 2", "question 13 2", "question 16 2",
			"question 19 2"}; !slices.Equal(found, want) {
			t.Errorf("found %q, want %q", found, want)
		}
		x.want(Filter{Search: "%"}, x.texts(Filter{})...) // no words, no condition
	})
}

// TestQuestionsAreCountedAsFiltered holds how often what a filter selects was asked on some days.
func TestQuestionsAreCountedAsFiltered(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		x.ask("green tea", "a")
		x.ask("green tea", "b", by("mcp", "assistant", "ChatGPT-User"))
		x.ask("coffee", "b", outcome(Nothing))
		x.at = x.at.Add(day)
		x.ask("green tea", "b")
		x.ask("coffee", "a", outcome(Nothing))
		x.list(Filter{}) // all is written
		for _, v := range []struct {
			filter Filter
			days   [2]int
			want   int64
		}{
			{Filter{}, [2]int{0, 2}, 5}, {Filter{}, [2]int{0, 1}, 3}, {Filter{}, [2]int{1, 2}, 2},
			{Filter{}, [2]int{2, 9}, 0},
			{Filter{Search: "tea"}, [2]int{0, 2}, 3}, {Filter{Search: "tea", Who: People}, [2]int{0, 2}, 2},
			{Filter{Who: Agents}, [2]int{0, 2}, 1}, {Filter{View: ViewNothing}, [2]int{0, 1}, 1},
			{Filter{View: ViewNothing, Search: "tea"}, [2]int{0, 2}, 0}, {Filter{Search: "none"}, [2]int{0, 2}, 0},
		} {
			midnight := noon.Truncate(day)
			n, err := x.s.Count(t.Context(), v.filter, midnight.Add(time.Duration(v.days[0])*day),
				midnight.Add(time.Duration(v.days[1])*day))
			if err != nil || n != v.want {
				t.Errorf("%+v on %v: %d, %v; want %d", v.filter, v.days, n, err, v.want)
			}
		}
		if _, err := x.s.Count(t.Context(), Filter{View: "x"}, noon, noon); fail.From(err).Code != fail.Invalid {
			t.Errorf("an unknown view: %v", err)
		}
	})
}

func TestOneQuestionIsToldByDayAndAsker(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		x.ask("tea", "a")
		x.ask("tea", "b", by("mcp", "assistant", "ChatGPT-User"), outcome(Nothing))
		x.at = x.at.Add(day)
		x.ask("tea", "b", by("mcp", "assistant", "ChatGPT-User"))
		x.ask("coffee", "b", owner)
		id := x.list(Filter{Search: "tea"})[0].ID
		d, err := x.s.Get(t.Context(), id)
		if err != nil || d.Times != 3 || len(d.Days) != 2 || d.Days[0].People != 1 || d.Days[0].Of[Nothing] != 1 ||
			d.Days[1].Agents != 1 {
			t.Fatalf("%+v, %v", d, err)
		}
		if want := []Asker{{"mcp", "assistant", "ChatGPT-User", 2, 1}, {"ask", Person, "", 1,
			0}}; !slices.Equal(d.Askers, want) {
			t.Errorf("%+v, want %+v", d.Askers, want)
		}
		total, err := x.s.Totals(t.Context(), noon, noon.Add(day))
		if err != nil || len(total.Days) != 2 || total.Days[1].People != 1 || total.Days[1].Agents != 1 ||
			len(total.Askers) != 2 {
			t.Errorf("%+v, %v", total, err)
		}
		var read ID
		if err := read.UnmarshalText([]byte(id.String())); err != nil || read != id {
			t.Errorf("%s is read as %s: %v", id, read, err)
		}
		if _, err := x.s.Get(t.Context(), id+1); fail.From(err).Code != fail.NotFound {
			t.Errorf("another is there: %v", err)
		}
	})
}

func TestIgnoredAndForgottenQuestionsLeaveTheLists(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		x.ask("tyres", "a", owner, outcome(Nothing))
		x.ask("tea", "a", owner)
		id := x.list(Filter{View: ViewNothing})[0].ID
		if err := x.s.Ignore(t.Context(), id, true); err != nil {
			t.Fatal(err)
		}
		x.ask("tyres", "a", outcome(Nothing))
		x.want(Filter{View: ViewNothing})
		x.want(Filter{View: ViewIgnored}, "tyres 2")
		x.want(Filter{}, "tea 1")
		if latest, err := x.s.Latest(t.Context(), 5); err != nil || len(latest) != 1 || latest[0].Text != "tea" {
			t.Errorf("%+v, %v", latest, err)
		}
		if err := x.s.Ignore(t.Context(), id, false); err != nil {
			t.Fatal(err)
		}
		x.want(Filter{View: ViewNothing}, "tyres 2")
		if err := x.s.Forget(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		x.want(Filter{}, "tea 1")
		if n := x.rows("question_variant") + x.rows("question_day"); n != 2 {
			t.Errorf("%d rows of the other, want 2", n)
		}
		for _, err := range []error{x.s.Forget(t.Context(), id), x.s.Ignore(t.Context(), id, true)} {
			if fail.From(err).Code != fail.NotFound {
				t.Errorf("again: %v", err)
			}
		}
	})
}
