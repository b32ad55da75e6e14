package tuning

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

func pin(question string, items ...string) Entry {
	return Entry{Kind: Pin, Question: question, Items: items}
}

func TestEntriesAreKeptAndReachOtherNodes(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db, now, ctx := open(t, Schema), noon, t.Context()
		here, there := New(db, func() time.Time { return now }), New(db, func() time.Time { return now })
		refresh := func(s *Store) *Rules {
			t.Helper()
			if err := s.Refresh(ctx); err != nil {
				t.Fatal(err)
			}
			return s.Rules()
		}
		if refresh(there) != nil {
			t.Error("there are rules where nothing was said")
		}
		put, fresh, changed, err := here.Put(ctx, pin("Versand?", "https://shop.example/versand"),
			Entry{Kind: Synonym, Words: []string{"Handy"}, Means: "Smartphone", By: "key-1"})
		if err != nil || fresh != 2 || changed != 0 || !strings.HasPrefix(put[1].ID, "synonym-") {
			t.Fatalf("%+v, %d, %d, %v", put, fresh, changed, err)
		}
		if here.Rules() == nil {
			t.Error("what was put in is not in force where it was put in")
		}
		rules := refresh(there)
		e := rules.For(Pin, now, "versand")
		if e == nil || e.Items[0] != "https://shop.example/versand" || !e.Created.Equal(noon) {
			t.Fatalf("%+v", e)
		}
		if refresh(there) != rules {
			t.Error("rules are made anew though nothing was changed")
		}

		// The same again changes nothing; another text does, and keeps when it was made.
		if _, fresh, changed, err := here.Put(ctx, put...); err != nil || fresh+changed != 0 {
			t.Errorf("%d, %d, %v", fresh, changed, err)
		}
		now = noon.Add(time.Hour)
		other := put[0]
		other.Items = []string{"https://shop.example/porto"}
		if _, fresh, changed, err := here.Put(ctx, other); err != nil || fresh != 0 || changed != 1 {
			t.Errorf("%d, %d, %v", fresh, changed, err)
		}
		e = refresh(there).For(Pin, now, "versand")
		if e.Items[0] != "https://shop.example/porto" || !e.Created.Equal(noon) || !e.Changed.Equal(now) {
			t.Errorf("%+v", e)
		}

		// Uses of both nodes count together, for UseDays days.
		here.Rules().Used(e)
		there.Rules().Used(e)
		there.Rules().Used(e)
		for _, s := range []*Store{here, there, there} {
			if err := s.Flush(ctx); err != nil {
				t.Fatal(err)
			}
		}
		usesAt := func(at time.Time) int64 {
			now = at
			one, err := there.Get(ctx, e.ID)
			if err != nil {
				t.Fatal(err)
			}
			return one.Uses
		}
		if n := usesAt(now); n != 3 {
			t.Errorf("%d uses", n)
		}
		if n := usesAt(noon.Add(UseDays * 24 * time.Hour)); n != 0 {
			t.Errorf("%d uses after %d days", n, UseDays)
		}

		if err := there.Remove(ctx, e.ID); err != nil {
			t.Error(err)
		}
		if err := there.Remove(ctx, e.ID); fail.From(err).Code != fail.NotFound {
			t.Errorf("again: %v", err)
		}
		if refresh(here).For(Pin, now, "versand") != nil {
			t.Error("what was removed is in force at another node")
		}
	})
}

func TestWhatIsNoEntryIsRefused(t *testing.T) {
	t.Parallel()
	s := New(storetest.OpenSQLite(t, Schema), func() time.Time { return noon })
	if _, _, _, err := s.Put(t.Context(), Entry{ID: "one", Kind: Synonym, Words: []string{"Sofa"}, Means: "Couch",
		Both: true},
		Entry{ID: "two", Kind: Answer, Question: "Wann?", Text: "Um acht.",
			Link: "https://shop.example/zeiten"}); err != nil {
		t.Fatal(err)
	}
	address := "https://shop.example/a"
	for name, v := range map[string]struct {
		entry Entry
		words string
	}{
		"no kind":                       {Entry{Question: "Wann?"}, "kind"},
		"an id with blanks":             {Entry{ID: "a b", Kind: Ignore, Question: "?a"}, "id"},
		"an id that names an operation": {Entry{ID: "import", Kind: Ignore, Question: "?a"}, "id"},
		"a synonym of nothing":          {Entry{Kind: Synonym, Means: "a"}, "words"},
		"a synonym for nothing":         {Entry{Kind: Synonym, Words: []string{"a"}}, "means"},
		"a synonym for itself":          {Entry{Kind: Synonym, Words: []string{"Tables"}, Means: "table"}, "means"},
		"a synonym that is a question": {Entry{Kind: Synonym, Words: []string{"how do i get all my money back"},
			Means: "a"}, "words"},
		"words that are read already": {Entry{Kind: Synonym, Words: []string{"couch"}, Means: "Sessel"},
			"synonym one"},
		"a language that is none": {Entry{Kind: Synonym, Words: []string{"a"}, Means: "b", Language: "xx"},
			"language"},
		"a pin of nothing":                {pin("a"), "items"},
		"a pin of four":                   {pin("a", address, address+"1", address+"2", address+"3"), "items"},
		"a pin of no address":             {pin("a", "/versand"), "items"},
		"a pin of an address with a name": {pin("a", "https://me@shop.example/"), "items"},
		"a pin with a text": {Entry{Kind: Pin, Question: "a", Items: []string{address}, Text: "b"},
			"text"},
		"an answer without a text": {Entry{Kind: Answer, Question: "a", Link: address}, "text"},
		"an answer without a link": {Entry{Kind: Answer, Question: "a", Text: "b"}, "link"},
		"an answer that is long": {Entry{Kind: Answer, Question: "a", Text: strings.Repeat("b",
			MaxText+1), Link: address}, "text"},
		"an answer with words": {Entry{Kind: Answer, Question: "a", Text: "b", Link: address,
			Words: []string{"c"}}, "words"},
		"a second answer": {Entry{Kind: Answer, Question: "WANN", Text: "b", Link: address},
			"answer two"},
		"no question":             {Entry{Kind: Ignore, Question: "?!"}, "question"},
		"a question that is long": {Entry{Kind: Ignore, Question: strings.Repeat("ab ", 200)}, "question"},
	} {
		if _, _, _, err := s.Put(t.Context(), v.entry); fail.From(err).Code != fail.Invalid ||
			!strings.Contains(err.Error(), v.words) {
			t.Errorf("%s: %v", name, err)
		}
	}
	// Of several all are put in, or none.
	_, _, _, err := s.Put(t.Context(), pin("a", address), pin("A!", address))
	if fail.From(err).Code != fail.Invalid || !strings.Contains(err.Error(), "entry 2 (A!)") {
		t.Errorf("two pins of one question: %v", err)
	}
	var many []Entry
	for n := range MaxEntries - 1 {
		many = append(many, Entry{Kind: Ignore, Question: fmt.Sprint("question ", n)})
	}
	if _, _, _, err := s.Put(t.Context(), many...); fail.From(err).Code != fail.Invalid {
		t.Errorf("one too many: %v", err)
	}
	if all, err := s.List(t.Context()); err != nil || len(all) != 2 || all[0].Kind != Synonym {
		t.Errorf("%+v, %v", all, err)
	}
	if _, _, _, err := s.Put(t.Context(), many[1:]...); err != nil {
		t.Errorf("as many as there may be: %v", err)
	}
}

func TestFilesReadBack(t *testing.T) {
	t.Parallel()
	entries := []Entry{
		{ID: "a-1", Kind: Synonym, Words: []string{"Geld zurück", "Erstattung"}, Means: "Rückgabe", Both: true,
			Language: "de"},
		{Kind: Pin, Question: "Wie: \"geht\" das?", Items: []string{"https://shop.example/a?b=c&d#e"},
			Until: noon.Truncate(24 * time.Hour)},
		{Kind: Answer, Question: "Wann?", Text: "Um acht.\n<Und> neun: # nie", Link: "https://shop.example/",
			Until: noon.Add(time.Second)},
		{Kind: Ignore, Question: "yes", Off: true},
	}
	text := WriteFile(entries)
	read, err := ReadFile("tuning.yaml", text)
	if err != nil {
		t.Fatalf("%v of\n%s", err, text)
	}
	if !slices.EqualFunc(read, entries, func(a, b Entry) bool { return a.ID == b.ID && a.Same(&b) }) {
		t.Errorf("%+v of\n%s", read, text)
	}
	if !strings.Contains(string(text), `until: "2027-05-03"`) {
		t.Errorf("a day is told otherwise:\n%s", text)
	}
	for text, words := range map[string]string{
		"entries:\n  - kind: pin\n    item: x\n":       `tuning.yaml:3:5: entries[0].item`,
		"entries:\n  - question: x\n":                  "kind",
		"entries:\n  - kind: pin\n    until: morgen\n": "entries[0].until",
		"pins: []\n": "pins",
	} {
		if _, err := ReadFile("tuning.yaml", []byte(text)); fail.From(err).Code != fail.Invalid ||
			!strings.Contains(err.Error(), words) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if none, err := ReadFile("tuning.yaml", WriteFile(nil)); err != nil || len(none) != 0 {
		t.Errorf("%v, %v", none, err)
	}
}
