package excerpts

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/content"
	"frontdesk/internal/identity"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/contenttest"
)

// rebuilt is what a platform has of an article when it puts together what all its sessions were
// given.
type rebuilt struct {
	mu   sync.Mutex
	of   content.Item
	seen map[string][]bool // by passage
}

// add takes in what an answer has of the article.
func (b *rebuilt) add(given *RetrieveResult) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, chunk := range given.Chunks {
		id, from := corpus{}.whence(b.of, chunk)
		for _, p := range b.of.Passages {
			if p.ID == id && b.seen[id] == nil {
				b.seen[id] = make([]bool, len(p.Text))
			}
		}
		for i := range len(chunk.Text) {
			b.seen[id][from+i] = true
		}
	}
}

// share is how much of the article that is.
func (b *rebuilt) share() float64 {
	seen, all := 0, 0
	for _, p := range b.of.Passages {
		all += len(p.Text)
		for _, saw := range b.seen[p.ID] {
			if saw {
				seen++
			}
		}
	}
	return float64(seen) / float64(all)
}

// tenParts fills a giver with one article of ten passages, and gives what is rebuilt of it.
func (g *giver) tenParts(t *testing.T) *rebuilt {
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	var parts []string
	for i := range 10 {
		parts = append(parts, sentences(fmt.Sprintf("p%dq", i), 4))
	}
	one := contenttest.NewArticle("a/1", parts...)
	g.Fill(t, "site", "s", one)
	return &rebuilt{of: one, seen: map[string][]bool{}}
}

// part asks for a part of the article in a session.
func (g *giver) part(session string, n int) RetrieveRequest {
	r := g.request(session)
	r.Text = fmt.Sprintf("lamp p%dq", n%10)
	return g.again(r)
}

// rebuild asks for each part in sessions of their own, and gives how many requests were refused.
func (g *giver) rebuild(t *testing.T, b *rebuilt, name string, sessions int) (refused int) {
	for i := range sessions {
		given, err := g.Retrieve(t.Context(), g.part(fmt.Sprint(name, i), i))
		var refusal *Refusal
		switch {
		case errors.As(err, &refusal) && refusal.Reason == PolicyViolation:
			refused++
		case err != nil:
			t.Fatal(err)
		default:
			b.add(given)
		}
	}
	return refused
}

// TestNoPlatformRebuildsAnArticleBySessions takes forty sessions to see all of an article: a
// session's id is the caller's own text.
func TestNoPlatformRebuildsAnArticleBySessions(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.owner.Limits.Chunks, g.owner.Limits.Tokens = 2, 120
	b := g.tenParts(t)
	g.rebuild(t, b, "first day ", 40)
	if share := b.share(); share > g.owner.Limits.Share || share < g.owner.Limits.Share/2 {
		t.Errorf("40 sessions together saw %.2f of an article, and %.2f may be seen", share, g.owner.Limits.Share)
	}
	before := b.share()
	g.clock.Advance(12 * time.Hour)
	g.rebuild(t, b, "half a day later ", 10)
	if b.share() > max(before, g.owner.Limits.Share) {
		t.Errorf("%.2f of it were seen half a day later", b.share())
	}
	g.clock.Advance(24 * time.Hour)
	other := &rebuilt{of: b.of, seen: map[string][]bool{}}
	g.rebuild(t, other, "another day ", 20)
	if share := other.share(); share > g.owner.Limits.Share || share < g.owner.Limits.Share/2 {
		t.Errorf("%.2f of the article were seen on another day", share)
	}
}

// TestNoPlatformRebuildsAnArticleAtOnce has many sessions ask at the same time.
func TestNoPlatformRebuildsAnArticleAtOnce(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.owner.Limits.Chunks, g.owner.Limits.Tokens = 2, 120
	b := g.tenParts(t)
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			given, err := g.Retrieve(context.Background(), g.part(fmt.Sprint("session ", i), i))
			var refusal *Refusal
			if err == nil {
				b.add(given)
			} else if !errors.As(err, &refusal) || refusal.Reason != PolicyViolation {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if share := b.share(); share > g.owner.Limits.Share || share == 0 {
		t.Errorf("sessions at the same time together saw %.2f of an article", share)
	}
}

// TestThePlatformsShareIsTold where it leaves less than the session alone might see, and nowhere
// else; and a repetition tells the same.
func TestThePlatformsShareIsTold(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.owner.Limits.Chunks, g.owner.Limits.Tokens = 2, 120
	g.tenParts(t)
	first := g.given(t, g.part("first", 0))
	if first.LimitedByDay || first.MaxTokens != 120 {
		t.Errorf("the first session is told a limit: %v, %d tokens", first.LimitedByDay, first.MaxTokens)
	}
	var limited *RetrieveResult
	var r RetrieveRequest
	for i := 1; i < 40 && limited == nil; i++ {
		r = g.part(fmt.Sprint("session ", i), i)
		given, err := g.Retrieve(t.Context(), r)
		if err == nil && given.LimitedByDay {
			limited = given
		}
	}
	if limited == nil {
		t.Fatal("no answer tells that the platform's share limits it")
	}
	tokens := 0
	for _, c := range limited.Chunks {
		tokens += c.Tokens
	}
	if limited.MaxTokens != tokens || limited.MaxChunks != 2 {
		t.Errorf("the limits are told as %d and %d, and there are %d tokens", limited.MaxChunks, limited.MaxTokens,
			tokens)
	}
	again := g.given(t, g.again(r))
	diff := cmp.Diff(limited.Chunks, again.Chunks)
	if diff != "" || !again.LimitedByDay || again.MaxTokens != limited.MaxTokens {
		t.Errorf("the repetition is told %v, %d: %s", again.LimitedByDay, again.MaxTokens, diff)
	}
}

// TestAPlatformThatHasSeenEnoughIsToldSo, while other platforms, and those for whom the owner opens
// it, get more.
func TestAPlatformThatHasSeenEnoughIsToldSo(t *testing.T) {
	t.Parallel()
	g := newGiver(t)
	g.owner.Limits.Chunks = 1
	g.SetRules(t, labelled(policy.Rule{Access: policy.Open})...)
	lamps, kettles := sentences("one", 6), strings.ReplaceAll(sentences("two", 6), "lamp", "kettle")
	g.Fill(t, "site", "s", contenttest.NewArticle("a/1", lamps, kettles))
	asking := func(session, text string) RetrieveRequest {
		r := g.request(session)
		r.Text = text
		return g.again(r)
	}
	g.given(t, asking("one", "lamp"))
	_, err := g.Retrieve(t.Context(), asking("two", "kettle"))
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Reason != PolicyViolation ||
		!strings.Contains(refusal.Message, "platform") {
		t.Errorf("the other half in another session: %v", err)
	}
	g.given(t, asking("two", "lamp")) // which the platform has seen
	other := asking("two", "kettle")
	other.Key = identity.PlatformKey{ID: "other key", Platform: "other"}
	g.given(t, other)
	for name, open := range map[string]func(*Policy){
		"a share of its own": func(e *Policy) { e.Limits.SharePerDay = 1 },
		"full articles":      func(e *Policy) { e.Supports.FullArticle = true },
	} {
		g.owner = usualOwner()
		g.owner.Limits.Chunks = 1
		open(g.owner)
		if given := g.given(t, asking("three "+name, "kettle")); given.LimitedByDay {
			t.Errorf("%s: a limit is told", name)
		}
	}
}
