package vector_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/vector"
	"frontdesk/internal/infra/llm"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/clock"
	scripted "frontdesk/internal/testkit/model"
	"frontdesk/internal/testkit/storetest"
)

func TestMain(m *testing.M) { scripted.Main(m) }

// room is a catalog with an endpoint that makes vectors for it.
type room struct {
	t        *testing.T
	db       *store.DB
	catalog  *content.Catalog
	endpoint *scripted.Endpoint
	clock    *clock.Clock
	model    *llm.Client
	rules    string
	texts    func(*content.Entry) []string
}

func open(t *testing.T, fresh func(*testing.T, ...store.Schema) *store.DB) *room {
	t.Helper()
	r := &room{t: t, db: fresh(t, content.Schema, vector.Schema), endpoint: scripted.Start(t), rules: "1",
		clock: clock.At(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))}
	r.catalog = content.New(r.db, content.Options{Now: r.clock.Now})
	r.texts = func(e *content.Entry) []string {
		var texts []string
		for _, p := range e.Passages {
			texts = append(texts, p.Text)
		}
		return texts
	}
	r.connect()
	return r
}

// connect makes a client for the endpoint.
func (r *room) connect() {
	r.t.Helper()
	client, err := llm.New(llm.Options{URL: r.endpoint.URL, Embedding: "pointer", Now: r.clock.Now,
		Timeouts: map[llm.Use]time.Duration{llm.Embed: time.Minute}})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(client.Close)
	r.model = client
}

// onEach runs a test on every engine.
func onEach(t *testing.T, test func(*testing.T, *room)) {
	t.Helper()
	storetest.Each(t, func(t *testing.T, fresh func(*testing.T, ...store.Schema) *store.DB) { test(t, open(t, fresh)) })
}

// on runs a test on one.
func on(t *testing.T) *room {
	t.Helper()
	return open(t, func(t *testing.T, schemas ...store.Schema) *store.DB { return storetest.Chosen(t, schemas...) })
}

// keeper begins as a process does that starts.
func (r *room) keeper(change func(*vector.Options)) *vector.Store {
	options := vector.Options{Catalog: r.catalog, DB: r.db, Model: r.model, Now: r.clock.Now}
	if change != nil {
		change(&options)
	}
	return vector.New(options)
}

// put makes the texts the whole content of a source: one item each, of as many passages as there
// are lines.
func (r *room) put(source string, texts ...string) {
	r.t.Helper()
	ctx := context.Background()
	run, err := r.catalog.Begin(ctx, "shop", source)
	if err != nil {
		r.t.Fatal(err)
	}
	for i, text := range texts {
		item := content.Item{URL: address(i), Types: []string{"Thing"}, Name: fmt.Sprint(i), Object: []byte(`{"@type":"Thing"}`)}
		for n, line := range strings.Split(text, "\n") {
			item.Passages = append(item.Passages, content.Passage{ID: content.PassageID(line, n), Text: line})
		}
		if err := run.Put(ctx, item); err != nil {
			r.t.Fatal(err)
		}
	}
	if _, err := run.Commit(ctx, content.CommitOptions{AllowShrink: true}); err != nil {
		r.t.Fatal(err)
	}
}

func address(i int) string { return fmt.Sprintf("https://shop.example/%04d", i) }

// step takes one step.
func (r *room) step(k *vector.Store) (more bool) {
	r.t.Helper()
	more, err := k.Step(r.t.Context(), vector.Admission{Version: r.rules, Texts: r.texts})
	if err != nil {
		r.t.Fatal(err)
	}
	return more
}

// sent gives the texts that the endpoint got since it was set, and forgets them.
func (r *room) sent() []string {
	r.t.Helper()
	requests, _ := r.endpoint.Requests()
	var all []string
	for _, request := range requests {
		all = append(all, request.Body.Input...)
	}
	r.endpoint.Set(scripted.Behaviours{})
	all = slices.DeleteFunc(all, func(text string) bool {
		return slices.Contains(vector.Probes, strings.TrimPrefix(text, "query: "))
	})
	slices.Sort(all)
	return all
}

// of gives the passages of an item that have vectors.
func (r *room) of(k *vector.Store, source string, i int) (passages []int) {
	r.t.Helper()
	refs, err := r.catalog.Find(context.Background(), "shop", address(i))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, ref := range refs {
		if ref.Source != source {
			continue
		}
		for _, v := range k.Of(ref) {
			passages = append(passages, v.Passage)
			sum := 0.0
			for _, x := range v.Values {
				sum += float64(x) * float64(x)
			}
			if math.Abs(sum-1) > 1e-5 {
				r.t.Errorf("a vector has the length %v", math.Sqrt(sum))
			}
		}
	}
	return passages
}

// ready holds how many texts have vectors, of how many.
func (r *room) ready(k *vector.Store, ready, texts int) {
	r.t.Helper()
	if s := k.State(); s.Ready != ready || s.Texts != texts {
		r.t.Errorf("%d of %d texts have vectors (%v); want %d of %d", s.Ready, s.Texts, s.Error, ready, texts)
	}
}

func numbered(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprintf("text number %03d", i))
	}
	return texts
}

func TestEachTextIsTurnedIntoAVectorOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, r *room) {
		texts := append(numbered(150), "first line\nsecond line\n\nlast line", "text number 003")
		r.put("s", texts...)
		r.put("other", "text number 004")
		k := r.keeper(nil)
		r.step(k)
		r.ready(k, 153, 153)
		if want := slices.Sorted(
			slices.Values(append(numbered(150), "first line", "second line", "last line")),
		); !slices.Equal(r.sent(), want) {
			t.Error("other texts were sent than there are, or some twice")
		}
		if got := r.of(k, "s", 150); !slices.Equal(got, []int{0, 1, 3}) {
			t.Errorf("passages %v have vectors; want those with text", got)
		}
		for _, at := range []struct {
			source string
			i      int
		}{{"s", 0}, {"s", 149}, {"s", 151}, {"other", 0}} {
			if got := r.of(k, at.source, at.i); !slices.Equal(got, []int{0}) {
				t.Errorf("%v: passages %v", at, got)
			}
		}

		again := r.keeper(nil) // a process that starts
		r.step(again)
		r.ready(again, 153, 153)
		if got := r.sent(); len(got) > 0 {
			t.Errorf("after a restart %q was sent again", got)
		}

		texts[7] = "another text"
		r.put("s", texts[:100]...)
		for _, k := range []*vector.Store{k, again} {
			r.step(k)
			r.ready(k, 100, 100)
			if got := r.of(k, "s", 7); !slices.Equal(got, []int{0}) {
				t.Errorf("the changed item has %v", got)
			}
			if got := r.of(k, "s", 120); got != nil {
				t.Errorf("the removed item has %v", got)
			}
		}
		if got := r.sent(); !slices.Equal(got, []string{"another text"}) {
			t.Errorf("%q was sent; want the changed text", got)
		}
	})
}

func TestOneOfSeveralProcessesMakesVectorsAndAllHaveThem(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, r *room) {
		r.put("s", numbered(30)...)
		slow := func(o *vector.Options) { o.Pace = 10 }
		first, second := r.keeper(slow), r.keeper(slow)
		r.step(first)
		r.step(second)
		if n := len(r.sent()); n != 10 {
			t.Fatalf("%d texts were sent; want 10, by the first", n)
		}
		r.ready(first, 10, 30)
		r.ready(second, 10, 30)

		r.clock.Advance(time.Minute)
		r.step(first)
		r.step(second)
		r.ready(second, 20, 30)
		if err := first.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.clock.Advance(10 * time.Second)
		r.step(second) // has its own pace, and takes over
		r.ready(second, 30, 30)
		r.clock.Advance(10 * time.Second)
		r.step(first)
		r.ready(first, 30, 30)
		if n := len(r.sent()); n != 20 {
			t.Errorf("%d texts were sent; want each once", n)
		}

		r.put("s", numbered(40)...)
		r.step(first) // second, which is gone without a word, has the lease
		r.ready(first, 30, 40)
		r.clock.Advance(4 * time.Minute)
		r.step(first)
		r.ready(first, 40, 40)
	})
}

func TestVectorsObeyTheAdmission(t *testing.T) {
	t.Parallel()
	r := on(t)
	r.put("s", "open text", "closed text")
	plain := r.texts
	r.texts = func(e *content.Entry) []string {
		if e.URL == address(1) {
			return nil
		}
		return plain(e)
	}
	k := r.keeper(nil)
	r.step(k)
	if got := r.sent(); !slices.Equal(got, []string{"open text"}) || k.Rules() != "1" {
		t.Errorf("%q was sent under the rules %q", got, k.Rules())
	}
	r.rules, r.texts = "2", func(e *content.Entry) []string { return plain(e)[:0] }
	r.step(k)
	if r.of(k, "s", 0) != nil || k.Rules() != "2" {
		t.Errorf("the item has a vector that the rules %q do not allow", k.Rules())
	}
	r.rules, r.texts = "3", plain
	r.step(k)
	if got := r.sent(); !slices.Equal(got, []string{"closed text"}) {
		t.Errorf("%q was sent; want what has no vector yet", got)
	}
	r.ready(k, 2, 2)
}

func TestWhateverTheEndpointDoesNothingWrongIsKept(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, r *room) {
		texts := numbered(3)
		r.put("s", texts...)
		for mode, behaviour := range map[string]scripted.Behaviour{
			"fails": {Mode: "status", Status: 500}, "refuses the key": {Mode: "status", Status: 401},
			"is busy": {Mode: "status", Status: 429, After: "2"}, "garbage": {Mode: "garbage"}, "cut": {Mode: "cut"},
			"closes": {Mode: "close"}, "no numbers": {Mode: "nan"}, "too few": {Mode: "short"},
			"ragged": {Mode: "ragged"}, "no direction": {Mode: "zero"}, "endless": {Mode: "endless"},
		} {
			r.connect() // with no failure behind it
			k := r.keeper(nil)
			r.endpoint.Set(scripted.Behaviours{Embed: &behaviour})
			if r.step(k) {
				t.Errorf("%s: there is more to do at once", mode)
			}
			r.ready(k, 0, 3)
			if k.State().Error == nil {
				t.Errorf("%s: no failure is told", mode)
			}
			sources, err := vector.Sources(t.Context(), r.db)
			if err != nil {
				t.Fatal(err)
			}
			s := sources[content.SourceKey{Site: "shop", Source: "s"}]
			if s.Texts != 3 || s.Ready != 0 || s.Error == "" || s.Failed.IsZero() {
				t.Errorf("%s: the owner is told %+v", mode, s)
			}
			requests, _ := r.endpoint.Requests()
			r.step(k)
			if again, _ := r.endpoint.Requests(); len(requests) != 1 || len(again) != 1 {
				t.Errorf("%s: asked %d times, and %d after another step at the same time; want once", mode,
					len(requests), len(again))
			}
			if err := k.Release(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		r.connect()
		k := r.keeper(nil)
		r.endpoint.Set(scripted.Behaviours{Embed: &scripted.Behaviour{Mode: "status", Status: 503, Times: 1}})
		r.step(k)
		r.ready(k, 0, 3)
		r.clock.Advance(time.Minute)
		r.step(k)
		r.ready(k, 3, 3)
		if err := k.State().Error; err != nil {
			t.Errorf("still told: %v", err)
		}
	})
}

func TestVectorsOfAnotherLengthAreNotMixed(t *testing.T) {
	t.Parallel()
	r := on(t)
	r.put("s", "first")
	k := r.keeper(nil)
	r.step(k)
	r.put("s", "first", "second")
	r.endpoint.Set(scripted.Behaviours{Embed: &scripted.Behaviour{Dimensions: 8}})
	r.step(k)
	r.ready(k, 1, 2)
	if err := k.State().Error; err == nil || !strings.Contains(err.Error(), "model.vectors.version") {
		t.Errorf("the owner is told %v", err)
	}
	anew := r.keeper(func(o *vector.Options) { o.Version = "2" })
	r.clock.Advance(time.Hour)
	r.step(anew)
	r.ready(anew, 2, 2)
	tab := r.model.WithBudget()
	if _, ok := anew.Question(t.Context(), tab, "second"); !ok {
		t.Error("no vector of the new length")
	}
}

func TestATextThatTheModelDoesNotTakeKeepsNoOtherBack(t *testing.T) {
	t.Parallel()
	r := on(t)
	r.put("s", numbered(4)...)
	k := r.keeper(nil)
	// all four, then one
	r.endpoint.Set(scripted.Behaviours{Embed: &scripted.Behaviour{Mode: "status", Status: 400, Times: 2}})
	r.step(k)
	r.ready(k, 3, 4)
	r.sent()
	r.clock.Advance(time.Minute)
	r.step(k)
	if got := r.sent(); len(got) > 0 {
		t.Errorf("%q was sent again at once", got)
	}
	r.clock.Advance(2 * time.Hour)
	r.step(k)
	r.ready(k, 4, 4)
}

func TestTextsGoOutAtThePace(t *testing.T) {
	t.Parallel()
	r := on(t)
	r.put("s", numbered(100)...)
	k := r.keeper(func(o *vector.Options) { o.Pace = 6 })
	for i, want := range []int{6, 6, 3, 0, 6} {
		more := r.step(k)
		if n := len(r.sent()); n != []int{6, 0, 3, 0, 6}[i] || more {
			t.Errorf("step %d: %d texts were sent (more: %v); want %v", i, n, more, want)
		}
		r.clock.Advance([]time.Duration{0, 30 * time.Second, time.Second, 10 * time.Minute, 0}[i])
	}
}

func TestBoundsHold(t *testing.T) {
	t.Parallel()
	r := on(t)
	r.put("s", "a\nb\nc\nd", "e\nf")
	k := r.keeper(func(o *vector.Options) { o.Passages = 2 })
	r.step(k)
	r.ready(k, 4, 4)
	if err := k.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	k = r.keeper(func(o *vector.Options) { o.Most = 3 })
	r.step(k)
	r.ready(k, 3, 3)
}

func TestUnusedVectorsAreKeptForAWhile(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, r *room) {
		count := func() (n int) {
			err := r.db.View(t.Context(), func(tx *store.Tx) error {
				return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM vector_text`).Scan(&n)
			})
			if err != nil {
				t.Fatal(err)
			}
			return n - len(vector.Probes)
		}
		r.put("s", "first", "second", "third")
		k := r.keeper(nil)
		r.step(k)
		for _, tc := range []struct {
			texts []string
			after time.Duration
			rows  int
		}{
			{[]string{"first"}, 25 * time.Hour, 3},
			{[]string{"first", "second"}, 3 * 24 * time.Hour, 3},
			{[]string{"first", "second"}, 5 * 24 * time.Hour, 2},
			{[]string{"first", "second"}, 30 * 24 * time.Hour, 2},
			{[]string{"first", "second", "third"}, time.Hour, 3},
		} {
			r.put("s", tc.texts...)
			r.clock.Advance(tc.after)
			r.step(k)
			r.ready(k, len(tc.texts), len(tc.texts))
			if n := count(); n != tc.rows {
				t.Errorf("%v after %v: %d vectors are kept; want %d", tc.texts, tc.after, n, tc.rows)
			}
		}
		if got := r.sent(); !slices.Equal(got, []string{"first", "second", "third", "third"}) {
			t.Errorf("%q was sent; want only what was forgotten twice", got)
		}
	})
}

func TestQuestionsAreTurnedIntoVectorsOnce(t *testing.T) {
	t.Parallel()
	r := on(t)
	k := r.keeper(func(o *vector.Options) { o.TextPrefix, o.QuestionPrefix = "passage: ", "query: " })
	tab := r.model.WithBudget()
	if _, ok := k.Question(t.Context(), tab, "kettle"); ok {
		t.Error("a question has a vector, and nothing to hold it against")
	}
	if _, some := tab.Report(); some {
		t.Error("the tab holds what was not tried")
	}
	r.put("s", "kettle")
	r.step(k)
	for range 3 {
		tab = r.model.WithBudget()
		values, ok := k.Question(t.Context(), tab, "kettle")
		report, _ := tab.Report()
		if reason, tried := report.Uses[llm.Embed]; !ok || len(values) != 256 || !tried || reason != "" {
			t.Errorf("%d values, %v, the tab holds %+v", len(values), ok, report)
		}
	}
	if got := r.sent(); !slices.Equal(got, []string{"passage: kettle", "query: kettle"}) {
		t.Errorf("%q was sent", got)
	}
	r.endpoint.Set(scripted.Behaviours{Embed: &scripted.Behaviour{Dimensions: 9}})
	tab = r.model.WithBudget()
	if _, ok := k.Question(t.Context(), tab, "pot"); ok {
		t.Error("a vector of another length is used")
	}
	if report, _ := tab.Report(); report.Uses[llm.Embed] != llm.Malformed {
		t.Errorf("the tab holds %+v", report)
	}
	r.endpoint.Kill()
	tab = r.model.WithBudget()
	if _, ok := k.Question(t.Context(), tab, "lid"); ok {
		t.Error("a dead endpoint gives a vector")
	}
	if report, _ := tab.Report(); report.Uses[llm.Embed] != llm.Unreachable {
		t.Errorf("the tab holds %+v", report)
	}
	if _, ok := k.Question(t.Context(), r.model.WithBudget(), "kettle"); !ok {
		t.Error("the vector of a question that was asked before is gone with the endpoint")
	}
}

func TestReadersNeedNotWaitForTheWork(t *testing.T) {
	t.Parallel()
	r := on(t)
	r.put("s", numbered(200)...)
	k := r.keeper(nil)
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	refs, err := r.catalog.Find(ctx, "shop", address(5))
	if err != nil || len(refs) != 1 {
		t.Fatal(refs, err)
	}
	for range 4 {
		readers.Go(func() {
			for ctx.Err() == nil {
				k.Of(refs[0])
				k.State()
				k.Rules()
				k.Generation()
			}
		})
	}
	r.step(k)
	r.put("s", numbered(20)...)
	r.step(k)
	r.rules = "2"
	r.step(k)
	stop()
	readers.Wait()
	r.ready(k, 20, 20)
}

func TestSourcesThatAreGoneAreNotTold(t *testing.T) {
	t.Parallel()
	r := on(t)
	r.put("s", "first\nsecond")
	r.put("other", "third")
	k := r.keeper(nil)
	r.step(k)
	if err := r.catalog.Remove(t.Context(), "shop", "other"); err != nil {
		t.Fatal(err)
	}
	r.step(k)
	sources, err := vector.Sources(t.Context(), r.db)
	want := map[content.SourceKey]vector.SourceState{{Site: "shop",
		Source: "s"}: {SourceKey: content.SourceKey{Site: "shop", Source: "s"}, Texts: 2, Ready: 2}}
	if err != nil || !maps.Equal(sources, want) {
		t.Errorf("told %+v, %v; want %+v", sources, err, want)
	}
}

// TestProbesAloneAreMade holds the case that nothing but the questions is missing: the items fill
// their parts of the work.
func TestProbesAloneAreMade(t *testing.T) {
	t.Parallel()
	r := on(t)
	r.put("s", numbered(64)...)
	k := r.keeper(func(o *vector.Options) { o.Pace = 64 })
	r.step(k)
	r.ready(k, 64, 64)
	if k.Unrelated() != nil {
		t.Fatal("some of the questions are given before all are there")
	}
	r.clock.Advance(2 * time.Minute)
	r.step(k)
	if got := k.Unrelated(); len(got) != len(vector.Probes) {
		t.Errorf("%d questions have vectors; want %d", len(got), len(vector.Probes))
	}
}

func TestAProcessThatDoesNotStayTakesWhatIsThere(t *testing.T) {
	t.Parallel()
	r := on(t)
	r.put("s", numbered(5)...)
	r.step(r.keeper(nil))
	r.put("s", numbered(6)...)
	r.sent()
	k := r.keeper(nil)
	if err := k.Load(t.Context(), vector.Admission{Version: r.rules, Texts: r.texts}); err != nil {
		t.Fatal(err)
	}
	r.ready(k, 5, 6)
	if got := r.sent(); len(got) > 0 {
		t.Errorf("%q was sent", got)
	}
}
