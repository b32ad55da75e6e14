package excerpts

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/excerpts/grants"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/ledger"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/contenttest"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/intent"
)

// giver gives passages to platforms, of a corpus of its own.
type giver struct {
	*contenttest.Corpus
	*Service
	db    *store.DB
	owner *Policy
	clock *clock.Clock
	made  atomic.Int64 // numbers for nonces and requests
}

// schemas are those of the tables that a giver needs.
var schemas = []store.Schema{content.Schema, identity.PlatformSchema, ledger.Schema, grants.Schema, outbox.Schema}

// newGiver gives passages of the site "site", which labels pages below /a/ with "news.a" and pages
// below /b/ with "news.b.c".
func newGiver(t testing.TB) *giver {
	t.Helper()
	g := &giver{db: storetest.Chosen(t, schemas...), clock: clock.At(time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)),
		owner: usualOwner()}
	g.Corpus = contenttest.New(t, g.db, released.Deps{Sites: contenttest.Sites("site"), Passages: true})
	keys, err := identity.OpenSiteKeys(t.TempDir(), g.clock.Now)
	if err == nil {
		err = keys.EnsureKey()
	}
	if err != nil {
		t.Fatal(err)
	}
	g.Service, err = New(Deps{
		Corpus: g.Corpus.Corpus, Policy: func() *Policy { return g.owner }, DB: g.db,
		Nonces: identity.NewNonces(g.db, 0, g.clock.Now),
		Ledger: ledger.New(g.db,
			ledger.Options{Origin: "site.example/ledger", Signers: keys.Signers, Now: g.clock.Now}),
		MinScore: 1, Now: g.clock.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	g.Followers = []released.Follower{g.Warm}
	return g
}

func usualOwner() *Policy {
	return &Policy{
		Publisher: Publisher{ID: "house", Name: "The House", Domain: "site.example"},
		Domains:   []string{"news.a", "news.b"},
		Access:    Access{Enabled: true}, Supports: Supports{Chunks: true, Citations: true},
		Limits: Limits{Chunks: 5, Tokens: 800, Share: 0.5, Session: time.Hour},
	}
}

// labelled are rules that label by folder and otherwise are like one rule.
func labelled(like policy.Rule) []policy.Rule {
	a, b := like, like
	a.Match.Path, a.Labels = []string{"/a/**"}, []string{"news.a"}
	b.Match.Path, b.Labels = []string{"/b/**"}, []string{"news.b.c"}
	return []policy.Rule{a, b, {Access: policy.Open}}
}

// request is a good request of the platform "chat" in a session.
func (g *giver) request(session string) RetrieveRequest {
	n := g.made.Add(1)
	r := RetrieveRequest{
		Signature: Signature{Key: identity.PlatformKey{ID: "key", Platform: "chat"}}, ID: fmt.Sprint("request ", n),
		Version: "0.1", StatedAt: g.clock.Now(), Domain: "news.a",
		Language: "en-US", Session: session, Text: "lamp",
	}
	return g.again(r)
}

// again is the same request once more: the body is the same, the headers are not.
func (g *giver) again(r RetrieveRequest) RetrieveRequest {
	r.Nonce, r.Until = fmt.Sprint("nonce ", g.made.Add(1)), g.clock.Now().Add(5*time.Minute)
	r.Digest = sha256.Sum256(fmt.Append(nil, r.ID, r.Domain, r.Subdomain, r.Session, r.Text, r.Country))
	return r
}

// refused retrieves what must be refused, and gives the reason.
func (g *giver) refused(t contenttest.T, r RetrieveRequest) Reason {
	t.Helper()
	given, err := g.Retrieve(context.Background(), r)
	var refusal *Refusal
	if given != nil || !errors.As(err, &refusal) {
		t.Fatal(fmt.Sprintf("given %+v, error %v; want a refusal", given, err))
	}
	return refusal.Reason
}

func (g *giver) given(t contenttest.T, r RetrieveRequest) *RetrieveResult {
	t.Helper()
	given, err := g.Retrieve(context.Background(), r)
	if err != nil {
		t.Fatal(err)
	}
	return given
}

// entries are those of the ledger about a request, whether they have their places or not.
func (g *giver) entries(t contenttest.T, request string) (all []map[string]any) {
	t.Helper()
	err := g.db.View(context.Background(), func(tx *store.Tx) error {
		all = nil
		rows, err := tx.Query(context.Background(), `SELECT leaf FROM ledger_entry UNION ALL SELECT leaf FROM ledger_pending`)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var leaf []byte
			if err := rows.Scan(&leaf); err != nil {
				return err
			}
			var entry map[string]any
			if err := json.Unmarshal(leaf, &entry); err != nil {
				return err
			}
			if entry["request"] == request {
				all = append(all, entry)
			}
		}
		return rows.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func (g *giver) rows(t contenttest.T, table string) (n int) {
	t.Helper()
	if err := g.db.View(context.Background(), func(tx *store.Tx) error {
		return tx.QueryRow(context.Background(), `SELECT COUNT(*) FROM `+table).Scan(&n)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

// sentences makes a text of so many sentences that no other text has, about lamps.
func sentences(name string, n int) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf("The lamp %s of part %d stands in the corner of a room.", name, i))
	}
	return strings.Join(all, " ")
}

func TestPassagesAreGivenAndRecorded(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Licensed})...)
	g.Fill(t,
		"site", "s", contenttest.NewArticle("a/1", sentences("one", 3), sentences("two", 3), sentences("three", 3)))
	r := g.request("session")
	given := g.given(t, r)
	if len(given.Chunks) == 0 || len(given.Sources) != 1 || given.Sources[0].URL != "https://site.example/a/1" ||
		given.Replay {
		t.Fatalf("given %+v", given)
	}
	entries := g.entries(t, r.ID)
	if len(entries) != 1 {
		t.Fatalf("there are %d entries", len(entries))
	}
	body := entries[0]["body"].(map[string]any)
	tokens := 0
	for _, c := range given.Chunks {
		tokens += c.Tokens
	}
	if entries[0]["kind"] != "access" || entries[0]["party"] != "platform:chat" ||
		body["chunks_returned"] != float64(len(given.Chunks)) || body["token_count"] != float64(tokens) ||
		body["terms"] != g.Terms().Version() {
		t.Errorf("the entry is %v", entries[0])
	}
	raw, _ := json.Marshal(entries[0])
	for _, secret := range []string{r.Session, `"lamp`, "corner"} {
		if strings.Contains(string(raw), secret) {
			t.Errorf("the entry has %q: %s", secret, raw)
		}
	}
}

func TestTheOrderOfRefusals(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	g.Fill(t, "site", "s", contenttest.NewArticle("a/1", sentences("one", 3), sentences("two", 3)))
	limited := fail.New(fail.Limited, "Too many.")
	limited.RetryAfter = time.Second
	admitted := 0
	admitAll := g.deps.Admit
	g.deps.Admit = func(context.Context, identity.PlatformKey, string) error {
		admitted++
		return limited
	}
	stale := func(r *RetrieveRequest) { r.StatedAt = r.StatedAt.Add(-301 * time.Second) }
	elsewhere := func(r *RetrieveRequest) { r.Domain = "sports" }
	for _, step := range []struct {
		name   string
		owner  func(*Policy)
		ask    []func(*RetrieveRequest)
		reason Reason
	}{
		{"disabled comes first", func(e *Policy) {
			e.Access.Enabled, e.Supports.Chunks = false, false
		}, []func(*RetrieveRequest){stale, elsewhere}, AccessDisabled},
		{"so does paused", func(e *Policy) {
			e.Access.State, e.Supports.Chunks = "paused", false
		}, []func(*RetrieveRequest){stale, elsewhere}, AccessDisabled},
		{"and the end", func(e *Policy) {
			e.Access.Sunset, e.Supports.Chunks = g.clock.Now().AddDate(0, 0, -1).Truncate(24*time.Hour), false
		}, []func(*RetrieveRequest){elsewhere}, AccessDisabled},
		{"then the domain", func(e *Policy) {
			e.Supports.Chunks = false
		}, []func(*RetrieveRequest){stale, elsewhere}, OutOfScope},
		{"then what is supported", func(e *Policy) {
			e.Supports.Chunks = false
		}, []func(*RetrieveRequest){stale}, Unsupported},
		{"then the limits", func(*Policy) {}, nil, RateLimited},
	} {
		g.owner = usualOwner()
		step.owner(g.owner)
		r := g.request("session")
		for _, change := range step.ask {
			change(&r)
		}
		before := admitted
		if reason := g.refused(t, r); reason != step.reason {
			t.Errorf("%s: refused for %s, want %s", step.name, reason, step.reason)
		}
		if admitted != before+1 {
			t.Errorf("%s: the request was counted %d times; what is refused costs, too", step.name, admitted-before)
		}
		if len(g.entries(t, r.ID)) != 0 {
			t.Errorf("%s: there is an entry", step.name)
		}
	}
	g.deps.Admit, g.owner = admitAll, usualOwner()
	g.owner.Access.Sunset = g.clock.Now().Truncate(24 * time.Hour)
	g.given(t, g.request("session")) // the last day is good
	r := g.request("session")
	r.StatedAt = r.StatedAt.Add(-300 * time.Second)
	r.Text = "lamp of two"
	g.given(t, g.again(r))
	stale(&r)
	if reason := g.refused(t, g.again(r)); reason != RequestConflict && reason != PolicyViolation {
		t.Errorf("a stale request was refused for %s", reason)
	}
}

func TestOtherRefusals(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	g.Fill(t, "site", "s", contenttest.NewArticle("a/1", sentences("one", 3), sentences("two", 3)))
	g.owner.Refuse.Countries, g.owner.Refuse.Languages, g.owner.Refuse.Placements, g.owner.Refuse.Confidence = []string{
		"FR"}, []string{"fr", "de-CH"}, []string{"ad"}, 0.5
	low, enough := 0.49, 0.5
	for name, c := range map[string]struct {
		change func(*RetrieveRequest)
		reason Reason
	}{
		"country":    {func(r *RetrieveRequest) { r.Country = "FR" }, PolicyViolation},
		"language":   {func(r *RetrieveRequest) { r.Language = "fr-CA" }, PolicyViolation},
		"placement":  {func(r *RetrieveRequest) { r.Placement = "Ad" }, PolicyViolation},
		"confidence": {func(r *RetrieveRequest) { r.Confidence = &low }, PolicyViolation},
		"unfit":      {func(r *RetrieveRequest) { r.Violation = "/extensions/x.bid is a price." }, PolicyViolation},
		"ahead":      {func(r *RetrieveRequest) { r.StatedAt = r.StatedAt.Add(301 * time.Second) }, PolicyViolation},
		"nothing":    {func(r *RetrieveRequest) { r.Text = "zeppelin" }, NoContent},
		"no items":   {func(r *RetrieveRequest) { r.Domain = "news.b" }, NoContent},
		"ancestor":   {func(r *RetrieveRequest) { r.Domain = "news" }, OutOfScope},
		"boundary":   {func(r *RetrieveRequest) { r.Domain = "news.again" }, OutOfScope},
	} {
		r := g.request("session")
		c.change(&r)
		if reason := g.refused(t, g.again(r)); reason != c.reason {
			t.Errorf("%s: refused for %s, want %s", name, reason, c.reason)
		}
	}
	for name, change := range map[string]func(*RetrieveRequest){
		"another country":  func(r *RetrieveRequest) { r.Country = "DE" },
		"another language": func(r *RetrieveRequest) { r.Language = "de-DE" },
		"enough":           func(r *RetrieveRequest) { r.Confidence = &enough },
		"descendant":       func(r *RetrieveRequest) { r.Domain = "news.a.of.something" },
		"elsewhere below":  func(r *RetrieveRequest) { r.Subdomain = "sports.ball" },
		"without question": func(r *RetrieveRequest) { r.Text = "" },
	} {
		r := g.request("session " + name)
		change(&r)
		if given := g.given(t, g.again(r)); len(given.Chunks) == 0 {
			t.Errorf("%s: nothing was given", name)
		}
	}
}

func TestANonceIsGoodOnceAndARequestHasOneBody(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	g.Fill(t, "site", "s", contenttest.NewArticle("a/1", sentences("one", 3), sentences("two", 3)))
	r := g.request("session")
	first := g.given(t, r)
	if reason := g.refused(t, r); reason != Replayed {
		t.Errorf("the nonce was used again, and refused for %s", reason)
	}
	other := r
	other.Key.ID = "another key"
	if again := g.given(t, other); !again.Replay {
		t.Error("the same nonce under another key of the platform is not the same request")
	}
	g.clock.Advance(time.Minute)
	again := g.given(t, g.again(r))
	if diff := cmp.Diff(first.Chunks, again.Chunks); diff != "" || !again.Replay || again.Event != first.Event ||
		again.Entry != first.Entry || !again.At.Equal(first.At) {
		t.Errorf("the repetition differs: %+v %s", again, diff)
	}
	changed := r
	changed.Text = "lamp?"
	if reason := g.refused(t, g.again(changed)); reason != RequestConflict {
		t.Errorf("another body under the id was refused for %s", reason)
	}
	foreign := g.again(r)
	foreign.Key = identity.PlatformKey{ID: "third key", Platform: "other"}
	if given := g.given(t, foreign); given.Replay {
		t.Error("an id of one platform counts for another")
	}
	if n := len(g.entries(t, r.ID)); n != 2 {
		t.Errorf("there are %d entries, want one for each platform", n)
	}
}

func TestTooManyNoncesAreALimitNotAFailure(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	g.Fill(t, "site", "s", contenttest.NewArticle("a/1", sentences("one", 3), sentences("two", 3)))
	g.deps.Nonces = identity.NewNonces(g.db, 1, g.clock.Now)
	g.given(t, g.request("session"))
	r := g.request("session")
	_, err := g.Retrieve(t.Context(), r)
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Reason != RateLimited || refusal.RetryAfter <= 0 {
		t.Errorf("the error is %v", err)
	}
	_, err = g.Cite(t.Context(),
		Event{Signature: Signature{r.Key, "n", r.Until}, ID: "e", Request: r.ID, Kind: intent.EventAccess,
			PublisherID: "house", Domain: "site.example"})
	if !errors.As(err, &refusal) || refusal.Reason != RateLimited || refusal.RetryAfter <= 0 {
		t.Errorf("the error of an event is %v", err)
	}
}

// TestARepetitionOfADenialIsDecidedAnew: a request that got nothing may be sent again.
func TestARepetitionOfADenialIsDecidedAnew(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	g.Fill(t, "site", "s", contenttest.NewArticle("a/1", sentences("one", 3), sentences("two", 3)))
	g.owner.Access.State = "paused"
	r := g.request("session")
	if reason := g.refused(t, r); reason != AccessDisabled {
		t.Fatal(reason)
	}
	g.owner.Access.State = ""
	if given := g.given(t, g.again(r)); given.Replay || len(g.entries(t, r.ID)) != 1 {
		t.Errorf("given %+v", given)
	}
	g.owner.Access.State = "paused"
	if reason := g.refused(t, g.again(r)); reason != AccessDisabled {
		t.Error(reason)
	}
}

func TestWithoutAQuestionTheNewestOfTheNarrowestDomainComeFirst(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.owner.Limits.Chunks, g.owner.Domains = 2, []string{"news"}
	rules := []policy.Rule{
		{Match: policy.Match{Path: []string{"/a/**"}}, Access: policy.Open, Labels: []string{"news.a"}},
		{Match: policy.Match{Path: []string{"/b/**"}}, Access: policy.Open, Labels: []string{"news.b"}},
	}
	g.SetRules(t, append(rules, policy.Rule{Access: policy.Open})...)
	var items []content.Item
	for i := range 6 {
		one := contenttest.NewArticle(fmt.Sprintf("%s/%d", []string{"a", "b"}[i%2], i),
			sentences(fmt.Sprint("x", i), 3), sentences(fmt.Sprint("y", i), 3))
		one.Published = time.Date(2027, 1, 1+i, 0, 0, 0, 0, time.UTC)
		items = append(items, one)
	}
	g.Fill(t, "site", "s", items...)
	g.Fill(t, "site", "another source", items[4])
	ask := func(domain, subdomain string) (paths []string) {
		r := g.request("session " + domain + subdomain)
		r.Domain, r.Subdomain, r.Text = domain, subdomain, ""
		for _, s := range g.given(t, g.again(r)).Sources {
			paths = append(paths, strings.TrimPrefix(s.URL, "https://site.example/"))
		}
		return paths
	}
	for _, c := range []struct {
		domain, subdomain string
		want              []string
	}{
		{"news", "", []string{"b/5", "a/4"}},
		{"news", "a", []string{"a/4", "a/2"}},
		{"news", "news.b", []string{"b/5", "b/3"}},
		{"news.b", "", []string{"b/5", "b/3"}},
	} {
		if got := ask(c.domain, c.subdomain); !slices.Equal(got, c.want) {
			t.Errorf("%s %s: %v, want %v", c.domain, c.subdomain, got, c.want)
		}
	}
}

// TestWhoHasSeenTheBestArticleGetsTheNext asks for a passage whose article the session has seen as
// much of as it may, so that more articles have to be loaded than at first; the request still
// counts once.
func TestWhoHasSeenTheBestArticleGetsTheNext(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	g.owner.Limits.Chunks, g.owner.Limits.SharePerDay = 1, 1
	g.Fill(t, "site", "s", contenttest.NewArticle("a/1", sentences("first", 3), sentences("omega", 3)),
		contenttest.NewArticle("a/2", sentences("other", 3), sentences("omega", 3)))
	ask := func(session, text string) RetrieveRequest {
		r := g.request(session)
		r.Text = text
		return g.again(r)
	}
	best := g.given(t, ask("one", "omega")).Sources[0].URL
	apart := map[string]string{"https://site.example/a/1": "first", "https://site.example/a/2": "other"}[best]
	if got := g.given(t, ask("two", apart)); got.Sources[0].URL != best {
		t.Fatalf("%q gives a passage of %s", apart, got.Sources[0].URL)
	}
	r := ask("two", "omega")
	if got := g.given(t, r); len(got.Chunks) != 1 || got.Sources[0].URL == best {
		t.Errorf("the session gets %+v, which it has seen as much of as it may", got.Sources)
	}
	if n := len(g.entries(t, r.ID)); n != 1 {
		t.Errorf("%d entries of the ledger are about the request", n)
	}
}

// TestManyAtOnceNeverSeeMoreTogether has one session ask from all sides at once, also with the same
// request.
func TestManyAtOnceNeverSeeMoreTogether(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	var parts []string
	for i := range 10 {
		parts = append(parts, sentences(fmt.Sprintf("p%dq", i), 2))
	}
	one := contenttest.NewArticle("a/1", parts...)
	g.Fill(t, "site", "s", one)
	g.owner.Limits.Chunks = 2
	var mu sync.Mutex
	seen := map[string]bool{}
	ok := 0
	same := g.request("session")
	same.Text = "lamp part"
	var wait sync.WaitGroup
	for i := range 16 {
		wait.Go(func() {
			r := g.again(same)
			if i%2 == 0 {
				r = g.request("session")
				r.Text = fmt.Sprintf("lamp p%dq", i%10)
				r = g.again(r)
			}
			given, err := g.Retrieve(context.Background(), r)
			var refusal *Refusal
			switch {
			case errors.As(err, &refusal) && refusal.Reason == PolicyViolation:
				return
			case err != nil:
				t.Error(err)
				return
			}
			mu.Lock()
			defer mu.Unlock()
			ok++
			for _, c := range given.Chunks {
				seen[c.Text] = true
			}
		})
	}
	wait.Wait()
	total, bytes := 0, 0
	for _, p := range parts {
		total += len(p)
	}
	for text := range seen {
		bytes += len(text)
	}
	if ok == 0 || float64(bytes) > g.owner.Limits.Share*float64(total) {
		t.Errorf("%d were given something, %d of %d bytes together", ok, bytes, total)
	}
	if n := len(g.entries(t, same.ID)); n > 1 {
		t.Errorf("the same request has %d entries", n)
	}
}

// TestNothingIsHalfDone has each table refuse to be written, one after the other: then nothing at
// all must be there, and the same request, sent again, must get what it asked for, with one entry.
func TestNothingIsHalfDone(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	g.Fill(t,
		"site", "s", contenttest.NewArticle("a/1", sentences("one", 3), sentences("two", 3), sentences("three", 3)))
	g.deps.Sinks = []Sink{{Name: "auditor"}, {Name: "theirs", Platform: "chat"}, {Name: "of others", Platform: "other"}}
	entryTable := "ledger_entry"
	if g.db.Engine() == store.PostgreSQL {
		entryTable = "ledger_pending"
	}
	tables := []string{"platform_nonce", entryTable, "outbox_effect", "excerpt_session", "excerpt_request"}
	count := func() (all []int) {
		for _, table := range tables {
			all = append(all, g.rows(t, table))
		}
		return all
	}
	for i, table := range tables {
		r := g.request(fmt.Sprint("session ", i))
		before := count()
		mend := g.refuseWrites(t, table)
		given, err := g.Retrieve(t.Context(), r)
		var refusal *Refusal
		if err == nil || errors.As(err, &refusal) {
			t.Fatalf("%s cannot be written, and the answer is %+v, %v", table, given, err)
		}
		mend()
		if diff := cmp.Diff(before, count()); diff != "" {
			t.Errorf("%s cannot be written, and something stayed (%v): %s", table, tables, diff)
		}
		first := g.given(t, r) // the very same: its nonce is still fresh
		lost := count()
		again := g.given(t, g.again(r)) // as after an answer that never arrived
		if diff := cmp.Diff(first.Chunks, again.Chunks); diff != "" || !again.Replay {
			t.Errorf("%s: %s", table, diff)
		}
		now := count()
		lost[0]++ // its nonce alone
		if diff := cmp.Diff(lost, now); diff != "" {
			t.Errorf("the repetition wrote more than its nonce (%v): %s", tables, diff)
		}
		if n := len(g.entries(t, r.ID)); n != 1 {
			t.Errorf("%s: %d entries", table, n)
		}
		if now[2] != before[2]+2 {
			t.Errorf("%d effects were recorded, want one for each sink that it concerns", now[2]-before[2])
		}
	}
	if g.db.Engine() == store.SQLite {
		if report, err := g.deps.Ledger.Check(t.Context()); err != nil || len(report.Findings) > 0 {
			t.Errorf("the ledger: %+v, %v", report, err)
		}
	}
}

// refuseWrites has a table refuse rows until mend is called.
func (g *giver) refuseWrites(t *testing.T, table string) (mend func()) {
	t.Helper()
	make, undo := `CREATE TRIGGER refuses BEFORE INSERT ON `+table+` BEGIN SELECT RAISE(ABORT, 'the disk is full'); END`, `DROP TRIGGER refuses`
	if g.db.Engine() == store.PostgreSQL {
		make = `CREATE OR REPLACE FUNCTION refuses() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'the disk is full'; END $$ LANGUAGE plpgsql;
			CREATE TRIGGER refuses BEFORE INSERT ON ` + table + ` FOR EACH ROW EXECUTE FUNCTION refuses()`
		undo = `DROP TRIGGER refuses ON ` + table
	}
	run := func(statement string) {
		t.Helper()
		if err := g.db.Update(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Exec(context.Background(), statement)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	run(make)
	return func() { run(undo) }
}
