package grants

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

var start = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

func update(t *testing.T, db *store.DB, fn func(context.Context, *store.Tx) error) {
	t.Helper()
	if err := db.Update(t.Context(), func(tx *store.Tx) error { return fn(t.Context(), tx) }); err != nil {
		t.Fatal(err)
	}
}

func TestARequestComesBackAsItWasPut(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, Schema)
	r := Request{
		Platform: "chat", ID: "request 1 \u2603", Digest: sha256.Sum256([]byte("body")), At: start, Outcome: OutcomeOK,
		Answer: Answer{
			Chunks: []Chunk{{Site: "site", URL: "https://site.example/1", Passage: "p", Bytes: 12, Rule: 1},
				{Site: "site", URL: "https://site.example/2", Passage: "q", Rule: 2}},
			MaxChunks: 5, MaxTokens: 800, Tokens: 17, Entry: "entry",
		},
	}
	update(t, db, func(ctx context.Context, tx *store.Tx) error { return Put(ctx, tx, r) })
	find := func(platform, id string) (got Request, ok bool) {
		update(t, db, func(ctx context.Context, tx *store.Tx) (err error) {
			got, ok, err = Find(ctx, tx, platform, id)
			return err
		})
		return got, ok
	}
	got, ok := find("chat", r.ID)
	if diff := cmp.Diff(r, got); !ok || diff != "" {
		t.Errorf("ok %v: %s", ok, diff)
	}
	for _, other := range [][2]string{{"other", r.ID}, {"chat", "request 1"}} {
		if _, ok := find(other[0], other[1]); ok {
			t.Errorf("%v finds another's", other)
		}
	}
	r.Outcome, r.Answer, r.At = "rate_limited", Answer{}, start.Add(time.Second)
	update(t, db, func(ctx context.Context, tx *store.Tx) error { return Put(ctx, tx, r) })
	if got, _ := find("chat", r.ID); cmp.Diff(r, got) != "" {
		t.Errorf("what is put again takes the place: %+v", got)
	}
}

// TestSessionsOutliveAnUpgrade opens a database of before.
func TestSessionsOutliveAnUpgrade(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		was := Schema
		was.Steps = was.Steps[:2]
		given, session := Coverage{}, SessionKey("chat", "one")
		given.Add("https://site.example/1", "p", Span{0, 12})
		given.Add("https://site.example/1", "q", Span{3, 7})
		given.Add("https://site.example/1", "q", Span{9, 10})
		update(t, storetest.Open(t, dsn, was), func(ctx context.Context, tx *store.Tx) error {
			_, err := tx.Exec(ctx, `INSERT INTO excerpt_session (session, given, until) VALUES ($1, $2, $3)`, session[:],
				[]byte(`{"https://site.example/1":{"p":12,"q":[3,7,9,10]}}`), store.Micros(start.Add(time.Hour)))
			return err
		})
		update(t, storetest.Open(t, dsn, Schema), func(ctx context.Context, tx *store.Tx) error {
			got, err := SessionCoverage(ctx, tx, session, start)
			if diff := cmp.Diff(given, got); diff != "" {
				t.Error(diff)
			}
			return err
		})
	})
}

func TestASessionIsKnownByItsHashAloneAndNotForEver(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, Schema)
	if SessionKey("ab", "c") == SessionKey("a", "bc") || SessionKey("a", "b c") == SessionKey("a b", "c") {
		t.Error("two sessions have one key")
	}
	key := SessionKey("chat", "the session of somebody")
	given := Coverage{}
	given.Add("https://site.example/1", "p", Span{0, 10})
	given.Add("https://site.example/1", "p", Span{0, 5})
	given.Add("https://site.example/1", "q", Span{4, 11})
	if given.BytesOf("https://site.example/1") != 17 || given.BytesOf("elsewhere") != 0 {
		t.Errorf("given %v", given)
	}
	update(t, db, func(ctx context.Context, tx *store.Tx) error {
		return RecordCoverage(ctx, tx, key, given, start.Add(time.Hour))
	})
	at := func(now time.Time) (got Coverage) {
		update(t, db, func(ctx context.Context, tx *store.Tx) (err error) {
			got, err = SessionCoverage(ctx, tx, key, now)
			return err
		})
		return got
	}
	if diff := cmp.Diff(given, at(start.Add(time.Hour-time.Microsecond))); diff != "" {
		t.Error(diff)
	}
	if got := at(start.Add(time.Hour)); len(got) != 0 {
		t.Errorf("it is known for ever: %v", got)
	}
	update(t, db, func(ctx context.Context, tx *store.Tx) error {
		var kept string
		err := tx.QueryRow(ctx, `SELECT given FROM excerpt_session`).Scan(&kept)
		if strings.Contains(kept, "somebody") {
			t.Errorf("the row is %s", kept)
		}
		return err
	})
}

// TestWhatAPlatformWasGivenOfManyArticles asks for more articles than one statement takes.
func TestWhatAPlatformWasGivenOfManyArticles(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, fresh func(*testing.T, ...store.Schema) *store.DB) {
		db := fresh(t, Schema)
		if ArticleKey("ab", "c") == ArticleKey("a", "bc") || ArticleKey("chat", "one") == SessionKey("chat", "one") {
			t.Error("two things have one key")
		}
		var urls []string
		given := Coverage{}
		for i := range atOnce + 3 {
			urls = append(urls, fmt.Sprint("https://site.example/", i))
			given.Add(urls[i], "p", Span{0, 10 + i})
		}
		given.Add("elsewhere", "p", Span{0, 7})
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			for i, url := range append(urls, "elsewhere") {
				until := start.Add(time.Hour)
				if i == 2 {
					until = start // which is over
				}
				if err := RecordCoverage(ctx, tx, ArticleKey("chat", url), given.ForArticle(url), until); err != nil {
					return err
				}
			}
			return nil
		})
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			got, err := PlatformCoverage(ctx, tx, "chat", urls, start)
			for i, url := range urls {
				want := 10 + i
				if i == 2 {
					want = 0
				}
				if got.BytesOf(url) != want {
					t.Errorf("%d bytes of %s are known, want %d", got.BytesOf(url), url, want)
				}
			}
			if got.BytesOf("elsewhere") != 0 {
				t.Error("what was not asked for is given")
			}
			if other, wrong := PlatformCoverage(ctx, tx, "other", urls, start); wrong != nil || len(other) != 0 {
				t.Errorf("another platform's are given: %v, %v", other, wrong)
			}
			if none, wrong := PlatformCoverage(ctx, tx, "chat", nil, start); wrong != nil || len(none) != 0 {
				t.Errorf("of no article there is %v, %v", none, wrong)
			}
			return err
		})
	})
}

func TestWhatAPlatformOwes(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, Schema)
	request := func(platform, id, outcome string, at time.Time) {
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			return Put(ctx, tx, Request{Platform: platform, ID: id, At: at, Outcome: outcome})
		})
	}
	report := func(platform, id, kind string, at time.Time) {
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			return PutEvent(ctx, tx, Event{Platform: platform, ID: id, Kind: kind, At: at})
		})
	}
	owed := func(since, until time.Time) (n int) {
		update(t, db, func(ctx context.Context, tx *store.Tx) (err error) {
			n, err = CountUncited(ctx, tx, "chat", since, until)
			return err
		})
		return n
	}
	week, now := start.Add(-7*24*time.Hour), start
	request("chat", "1", OutcomeOK, start.Add(-48*time.Hour))
	request("chat", "2", OutcomeOK, start.Add(-47*time.Hour))
	request("chat", "3", "out_of_scope", start.Add(-46*time.Hour)) // was given nothing
	request("chat", "4", OutcomeOK, start.Add(-8*24*time.Hour))    // is too old
	request("chat", "5", OutcomeOK, start.Add(-time.Hour))         // may still be reported
	request("other", "6", OutcomeOK, start.Add(-48*time.Hour))
	if n := owed(week, now.Add(-24*time.Hour)); n != 2 {
		t.Errorf("%d are owed, want 2", n)
	}
	report("chat", "a", "access", start.Add(-30*time.Hour))
	report("other", "b", "citation", start.Add(-30*time.Hour))
	if n := owed(week, now.Add(-24*time.Hour)); n != 2 {
		t.Errorf("%d are owed after what is no citation of the platform's, want 2", n)
	}
	report("chat", "c", "citation", start.Add(-30*time.Hour))
	if n := owed(week, now.Add(-24*time.Hour)); n != 0 {
		t.Errorf("%d are owed after a citation, want none", n)
	}
	if n := owed(week, now); n != 1 {
		t.Errorf("%d are owed since the citation, want 1", n)
	}
}

func TestAnEventIsPutOnceAndForgottenInTime(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, Schema)
	e := Event{Platform: "chat", ID: "e", Digest: sha256.Sum256([]byte("event")), Request: "r", Kind: "citation",
		Entry: "entry", Verdict: "agrees", At: start}
	update(t, db, func(ctx context.Context, tx *store.Tx) error { return PutEvent(ctx, tx, e) })
	if err := db.Update(t.Context(), func(tx *store.Tx) error { return PutEvent(t.Context(), tx, e) }); err == nil {
		t.Error("an event was put twice")
	}
	update(t, db, func(ctx context.Context, tx *store.Tx) error {
		got, ok, err := FindEvent(ctx, tx, "chat", "e")
		if diff := cmp.Diff(e, got); !ok || diff != "" {
			t.Errorf("ok %v: %s", ok, diff)
		}
		if _, ok, _ := FindEvent(ctx, tx, "other", "e"); ok {
			t.Error("another platform's event is found")
		}
		return err
	})
	update(t, db, func(ctx context.Context, tx *store.Tx) error {
		if err := Put(ctx, tx,
			Request{Platform: "chat", ID: "old", At: start.Add(-time.Microsecond), Outcome: OutcomeOK}); err != nil {
			return err
		}
		if err := Put(ctx, tx, Request{Platform: "chat", ID: "new", At: start, Outcome: OutcomeOK}); err != nil {
			return err
		}
		return RecordCoverage(ctx, tx, SessionKey("chat", "s"), Coverage{}, start.Add(time.Hour))
	})
	rows := func() (n [3]int) {
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			return tx.QueryRow(ctx, `SELECT (SELECT COUNT(*) FROM excerpt_request), (SELECT COUNT(*) FROM excerpt_event), (SELECT COUNT(*) FROM excerpt_session)`).Scan(&n[0], &n[1], &n[2])
		})
		return n
	}
	for _, step := range []struct {
		before, now time.Time
		want        [3]int
	}{
		{start, start, [3]int{1, 1, 1}},
		{start.Add(time.Microsecond), start.Add(time.Hour), [3]int{0, 0, 0}},
	} {
		if err := Sweep(t.Context(), db, step.before, step.now); err != nil {
			t.Fatal(err)
		}
		if got := rows(); got != step.want {
			t.Errorf("after sweeping there are %v, want %v", got, step.want)
		}
	}
}

func TestARowThatWasCutIsNotTakenForAWholeOne(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, Schema)
	update(t, db, func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO excerpt_request (platform, request, digest, at, outcome, answer) VALUES ($1, $2, $3, $4, $5, $6)`,
			"chat", "r", []byte("short"), 1, OutcomeOK, []byte("{}"))
		return err
	})
	if err := db.View(t.Context(), func(tx *store.Tx) error {
		_, _, err := Find(t.Context(), tx, "chat", "r")
		return err
	}); err == nil {
		t.Error("a row that was cut is taken for a whole one")
	}
}

// TestWhatWasGivenIsNotReadFromAPartOfIt cuts what is kept of a session everywhere.
func TestWhatWasGivenIsNotReadFromAPartOfIt(t *testing.T) {
	t.Parallel()
	given := Coverage{}
	for i := range 3 {
		for j := range 2 {
			given.Add(fmt.Sprint("url ", i), fmt.Sprint("p ", j), Span{10 * j, 500})
			given.Add(fmt.Sprint("url ", i), fmt.Sprint("p ", j), Span{700, 900})
		}
	}
	whole := given.pack()
	if again, err := unpack(whole); err != nil || cmp.Diff(given, again) != "" ||
		given.BytesOf("url 1") != 500+490+400 || given.BytesOf("url 3") != 0 {
		t.Fatalf("%v is read as %v (%v)", given, again, err)
	}
	for n := range whole {
		if got, err := unpack(whole[:n]); err == nil {
			t.Errorf("%d bytes of it are taken for %v", n, got)
		}
	}
	for _, wrong := range []string{"", "x", "\x01", "\x01\x01short", "\x01\xff\xff\xff\xff\x0f",
		"\x01\x01article!\xff\xff\xff\xff\x0f", "\x01\x01article!\x01passage!\xff\x01",
		"\x01\x00more"} {
		if got, err := unpack([]byte(wrong)); err == nil {
			t.Errorf("%q is taken for %v", wrong, got)
		}
	}
}

// TestSweepLooksAtAllSessionsAndOutcomes has more of them than it takes at once.
func TestSweepLooksAtAllSessionsAndOutcomes(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, Schema)
	update(t, db, func(ctx context.Context, tx *store.Tx) error {
		for i := range 2*sessionsAtOnce + 7 {
			if err := RecordCoverage(ctx, tx, SessionKey("chat", fmt.Sprint(i)), Coverage{},
				start.Add(time.Duration(i%2)*time.Hour)); err != nil {
				return err
			}
		}
		for i := range 30 {
			r := Request{Platform: []string{"a", "b", "b c"}[i%3], ID: fmt.Sprint(i),
				At:      start.Add(time.Duration(i%2) * time.Hour),
				Outcome: []string{OutcomeOK, "rate_limited", "no_content", "replayed", "z"}[i%5]}
			if err := Put(ctx, tx, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err := Sweep(t.Context(), db, start.Add(time.Minute), start.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	var sessions, old, requests, oldRequests int
	if err := db.View(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT (SELECT COUNT(*) FROM excerpt_session), (SELECT COUNT(*) FROM excerpt_session WHERE until <= $1), (SELECT COUNT(*) FROM excerpt_request),
			(SELECT COUNT(*) FROM excerpt_request WHERE at < $1)`, store.Micros(start.Add(time.Minute))).Scan(&sessions, &old, &requests, &oldRequests)
	}); err != nil || sessions != sessionsAtOnce+3 || old != 0 || requests != 15 || oldRequests != 0 {
		t.Errorf("there are %d sessions, %d of them old, and %d requests, %d of them old (%v)", sessions, old, requests,
			oldRequests, err)
	}
}
