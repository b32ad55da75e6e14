package desk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/maypok86/otter/v2"

	"frontdesk/internal/answer"
	"frontdesk/internal/content"
	"frontdesk/internal/excerpt"
	"frontdesk/internal/fail"
	"frontdesk/internal/ledger"
	"frontdesk/internal/outbox"
	"frontdesk/internal/search"
	"frontdesk/internal/store"
	"frontdesk/internal/terms"
	"frontdesk/internal/trust"
	"frontdesk/wire/intent"
	"frontdesk/wire/receipt"
)

// Excerpts is what the owner declares to platforms of the Agentic Intent Protocol (aip.json), and what holds beside it.
type Excerpts struct {
	// PublisherID, PublisherName and Domain name the publisher.
	PublisherID, PublisherName, Domain string
	// Hosts are those whose articles are the publisher's; the domain and "www." of it always are.
	Hosts []string
	// Domains are the editorial domains. A request must lie in one of them, and gets passages of articles that do.
	Domains []string
	// Enabled and State ("active", "paused", "disabled"; empty is active) say whether there is access at all, and Sunset
	// the last day on which there is, by UTC; zero for no end.
	Enabled bool
	State   string
	Sunset  time.Time
	// Chunks, Citations and FullArticle are what is supported.
	Chunks, Citations, FullArticle bool
	// MaxChunks and MaxTokens bound an answer.
	MaxChunks, MaxTokens int
	// Share is how much of an article a session may see, 0 to 1, where FullArticle is false; and SessionFor how long it is
	// remembered after the last request what a session has seen.
	Share      float64
	SessionFor time.Duration
	// Countries, Languages and Placements are refused, as requests name them, without regard to case; "fr" is every "fr-…".
	Countries, Languages, Placements []string
	// Confidence is the least with which a request must know its intent, where it says; 0 to 1.
	Confidence float64
	// Owed is from how many answers without any citation reported a platform gets no more; 0 never ends it. Answers count
	// once they are older than Grace, up to seven days.
	Owed  int
	Grace time.Duration
	// Keep is how long requests and events are known; afterwards their ledger entries alone are there.
	Keep time.Duration
}

// Excerpting is what giving passages to platforms takes.
type Excerpting struct {
	// Owner gives what is declared at present; it is called for every request and may answer differently over time.
	Owner  func() *Excerpts
	DB     *store.DB
	Ledger *ledger.Ledger
	Nonces *trust.Nonces
	// Admit counts a request of a platform in a session, and AdmitEvent an event; the error, mostly fail.Limited, denies it.
	// Nil admits all.
	Admit      func(ctx context.Context, key trust.PlatformKey, session string) error
	AdmitEvent func(ctx context.Context, key trust.PlatformKey) error
	// Sinks get a copy of each access event.
	Sinks []Sink
}

// Sink is somebody who gets access events.
type Sink struct {
	Name     string
	Platform string // whose events; empty for those of all
}

// OpenExcerpts lets the desk give passages to platforms. It is called before the first request.
func (d *Desk) OpenExcerpts(e *Excerpting) (err error) {
	d.articleCache, err = otter.New(&otter.Options[cardKey, *article]{
		MaximumWeight: d.config.CacheBytes,
		Weigher:       func(_ cardKey, a *article) uint32 { return a.weight() },
	})
	if err != nil {
		return fmt.Errorf("make the cache of passages: %w", err)
	}
	d.excerpting = e
	return nil
}

// freshness is how far the time that a request states may be from ours (Agentic Intent Protocol, "live_only").
const freshness = 300 * time.Second

// Retrieval is a request for passages whose signature was verified.
type Retrieval struct {
	Key     trust.PlatformKey
	Nonce   string
	Until   time.Time // until when the nonce may not be used again
	ID      string    // request_id
	Version string    // in which it is asked
	Digest  [sha256.Size]byte
	Stated  time.Time // when the request says it was made

	Domain, Subdomain            string
	Confidence                   *float64
	Language, Country, Placement string
	Session                      string
	Text                         string // the question, which is kept nowhere; may be empty
	// Unfit says what in the request must not be there by the protocol's own rules; empty for nothing.
	Unfit string
}

// Reason says why there are no passages. The first five are those of denials (RetrieveResponse, "Denial reasons").
type Reason string

// The reasons.
const (
	OutOfScope      Reason = "out_of_scope"
	AccessDisabled  Reason = "access_disabled"
	PolicyViolation Reason = "policy_violation"
	RateLimited     Reason = "rate_limited"
	Unsupported     Reason = "unsupported"
	NoContent       Reason = "no_content"       // nothing matches
	RequestConflict Reason = "request_conflict" // another request had the id
	Replayed        Reason = "replayed"         // the nonce was used before
	Unprocessable   Reason = "unprocessable"    // an event that does not fit what we know
	EventConflict   Reason = "event_conflict"   // another event had the id
)

// Refusal is the outcome of a request that gets nothing.
type Refusal struct {
	Reason     Reason
	Message    string // safe for strangers
	RetryAfter time.Duration
}

// Error gives reason and message.
func (r *Refusal) Error() string { return string(r.Reason) + ": " + r.Message }

func refuse(reason Reason, format string, args ...any) *Refusal {
	return &Refusal{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// Chunk is a passage that is given.
type Chunk struct {
	ID     string
	Text   string
	Tokens int
}

// Source is an article of which passages are given.
type Source struct {
	URL, Title, Publisher string
	Chunks                []string // ids
}

// Retrieved is what is given to a platform, as it was recorded.
type Retrieved struct {
	At                   time.Time
	Chunks               []Chunk
	Sources              []Source // those of the chunks, in their order
	Citations            bool     // the sources are to be told
	MaxChunks, MaxTokens int      // the limits in force
	Event                string   // the id of the access event
	Entry                string   // of the ledger
	Again                bool     // the request was answered before
}

// Retrieve gives passages to a platform: of articles within the editorial domain that its request lies in, as far as
// terms, declaration and key allow, and never more of an article than the session may see. What it gives is recorded
// with the access event, in one transaction, before it returns. A request that gets nothing is recorded, too; its error
// is a *[Refusal], other errors are those of [fail].
//
// The order of checks is the published one: the nonce, enabled and state, the editorial domain, the limits. A request
// that was answered before gets the same passages, as far as today's terms allow them, and no second event. What is
// refused counts towards the limits, too.
func (d *Desk) Retrieve(ctx context.Context, r Retrieval) (*Retrieved, error) {
	if err := d.Ready(); err != nil {
		return nil, err
	}
	owner := d.excerpting.Owner()
	g := d.admitted()
	now := d.config.Now()
	area, inScope := intent.Scope(owner.Domains, r.Domain, r.Subdomain)
	excess := d.counted(ctx, r)
	first := owner.closed(inScope, now)
	if first == nil {
		first = excess
	}
	if first == nil {
		first = owner.refuses(r, now)
	}
	var candidates []passage
	if first == nil {
		var err error
		if candidates, err = d.candidates(ctx, g, owner, r, area); err != nil {
			return nil, err
		}
	}
	var out *Retrieved
	var refusal *Refusal
	var before excerpt.Request
	err := d.excerpting.DB.Update(ctx, func(tx *store.Tx) (err error) {
		out, before = nil, excerpt.Request{}
		if refusal, err = d.spent(ctx, tx, r.Key, r.Nonce, r.Until); err != nil || refusal != nil {
			return err
		}
		prior, known, err := excerpt.Find(ctx, tx, r.Key.Platform, r.ID)
		if err != nil {
			return err
		}
		if known && prior.Digest != r.Digest {
			refusal = refuse(RequestConflict, "another request had this request_id; give each its own")
			return nil
		}
		if refusal = first; known && prior.Outcome == excerpt.Ok {
			before = prior // given again below, or refused, without changing what is recorded
			return nil
		}
		if refusal == nil && owner.Owed > 0 {
			owed, err := excerpt.Owed(ctx, tx, r.Key.Platform, now.Add(-7*24*time.Hour), now.Add(-owner.Grace))
			if err != nil {
				return err
			}
			if owed >= owner.Owed {
				refusal = refuse(PolicyViolation, "%d answers were given without any citation reported; report what was shown.", owed)
			}
		}
		if refusal == nil {
			if out, refusal, err = d.give(ctx, tx, g, owner, r, candidates, now); err != nil {
				return err
			}
		}
		if refusal != nil {
			return excerpt.Put(ctx, tx, excerpt.Request{Platform: r.Key.Platform, ID: r.ID, Digest: r.Digest, At: now, Outcome: string(refusal.Reason)})
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		return nil, refusal
	case before.ID != "":
		return d.giveAgain(ctx, g, owner, r, before, area)
	}
	return out, nil
}

// Spend uses up the nonce of a request that was signed and cannot be read, and says whether it was fresh.
func (d *Desk) Spend(ctx context.Context, key trust.PlatformKey, nonce string, until time.Time) (fresh bool, err error) {
	err = d.excerpting.DB.Update(ctx, func(tx *store.Tx) (err error) {
		fresh, err = d.excerpting.Nonces.UseNonce(ctx, tx, key.ID, nonce, until)
		return err
	})
	return fresh, err
}

// spent uses up a nonce, and says why it cannot be used.
func (d *Desk) spent(ctx context.Context, tx *store.Tx, key trust.PlatformKey, nonce string, until time.Time) (*Refusal, error) {
	fresh, err := d.excerpting.Nonces.UseNonce(ctx, tx, key.ID, nonce, until)
	switch {
	case err != nil && fail.From(err).Code == fail.Limited:
		return tooMany(err), nil
	case err != nil:
		return nil, err
	case !fresh:
		return refuse(Replayed, "The nonce was used before."), nil
	}
	return nil, nil
}

// closed says why the declaration opens nothing to a request, nil when it does.
func (e *Excerpts) closed(inScope bool, now time.Time) *Refusal {
	switch {
	case !e.Enabled || e.State != "" && e.State != "active" || !e.Sunset.IsZero() && !now.Before(e.Sunset.AddDate(0, 0, 1)):
		return refuse(AccessDisabled, "The publisher gives no access at present.")
	case !inScope:
		return refuse(OutOfScope, "Requested intent is outside declared editorial domains.")
	case !e.Chunks:
		return refuse(Unsupported, "The publisher does not give passages.")
	}
	return nil
}

// refuses says why the publisher's policy refuses a request, nil when it does not.
func (e *Excerpts) refuses(r Retrieval, now time.Time) *Refusal {
	switch {
	case r.Stated.Sub(now).Abs() > freshness:
		return refuse(PolicyViolation, "The request's timestamp is more than %d seconds from now; ask when a user does.", int(freshness.Seconds()))
	case r.Unfit != "":
		return refuse(PolicyViolation, "%s", r.Unfit)
	case slices.ContainsFunc(e.Countries, func(c string) bool { return strings.EqualFold(c, r.Country) }):
		return refuse(PolicyViolation, "The publisher gives no access from this country.")
	case slices.ContainsFunc(e.Languages, func(l string) bool { return underTag(r.Language, l) }):
		return refuse(PolicyViolation, "The publisher gives no access in this language.")
	case slices.ContainsFunc(e.Placements, func(p string) bool { return strings.EqualFold(p, r.Placement) }):
		return refuse(PolicyViolation, "The publisher gives no access for this placement.")
	case r.Confidence != nil && *r.Confidence < e.Confidence:
		return refuse(PolicyViolation, "The publisher asks for a confidence of at least %g.", e.Confidence)
	}
	return nil
}

// underTag says whether a language tag is another or one below it.
func underTag(tag, above string) bool {
	return len(tag) >= len(above) && strings.EqualFold(tag[:len(above)], above) && (len(tag) == len(above) || tag[len(above)] == '-')
}

// counted counts a request, and says whether that is too many.
func (d *Desk) counted(ctx context.Context, r Retrieval) *Refusal {
	if d.excerpting.Admit == nil {
		return nil
	}
	if err := d.excerpting.Admit(ctx, r.Key, r.Session); err != nil {
		return tooMany(err)
	}
	return nil
}

// tooMany is the refusal for an error of whoever counts requests.
func tooMany(err error) *Refusal {
	coded := fail.From(err)
	return &Refusal{Reason: RateLimited, Message: coded.Detail, RetryAfter: max(coded.RetryAfter, time.Second)}
}

// passage is one that may be given.
type passage struct {
	article *article
	at      int // its ordinal
	bytes   int // how much of it may be given, from its beginning; 0 for all
	rule    int // by which, from 1
}

// article is an item as passages are taken from it.
type article struct {
	site, url, title, publisher string
	passages                    []content.Passage
	bytes                       int // of all passages
	words                       int // that may be shown of it by the terms; 0 for no bound
}

func (a *article) weight() uint32 {
	return uint32(min(512+len(a.url)+len(a.title)+a.bytes+64*len(a.passages), 1<<30))
}

// areas are the items that may give passages, by editorial domain. Each is made when it is first asked for.
type areas struct {
	mu sync.Mutex
	of map[string]*area
}

// area are the items of an editorial domain.
type area struct {
	// countries are those that the terms of some item name. Requests from all others get the same.
	countries map[string]bool
	open      map[string]*opened // by country; "" for those that nothing names
}

// opened is what of an area may give passages to requests from a country.
type opened struct {
	*search.Selection
	// newest has of the items under each set of labels the latest, the newest first.
	newest []shelf
}

type shelf struct {
	labels []string
	hits   []answer.Hit
}

// shelfLength is how many items a shelf has at the most: more than one request may take.
const shelfLength = 256

// within is what of a gate's items may give passages to requests in an editorial domain from a country: those that the
// terms label so and allow as input, under the publisher's own hosts.
func (d *Desk) within(g *gate, owner *Excerpts, label, country string) *opened {
	key := label + "\n" + owner.Domain + "\n" + strings.Join(owner.Hosts, " ")
	g.areas.mu.Lock()
	defer g.areas.mu.Unlock()
	in := g.areas.of[key]
	if in == nil {
		in = &area{countries: map[string]bool{}, open: map[string]*opened{}}
		in.open[""] = d.open(g, owner, in, label, "")
		if g.areas.of == nil {
			g.areas.of = map[string]*area{}
		}
		g.areas.of[key] = in
	}
	if !in.countries[country] {
		country = ""
	}
	if in.open[country] == nil {
		in.open[country] = d.open(g, owner, in, label, country)
	}
	return in.open[country]
}

// open finds the items of an area that may give passages to requests from a country, and the countries that terms name.
func (d *Desk) open(g *gate, owner *Excerpts, in *area, label, country string) *opened {
	shelves := map[string]*shelf{}
	found := &opened{Selection: g.view.Select(func(l *answer.Listing) bool {
		decision, ok := d.gives(g.terms, owner, l, label, country)
		in.names(decision)
		if !ok {
			return false
		}
		key := strings.Join(decision.Labels, " ")
		if shelves[key] == nil {
			shelves[key] = &shelf{labels: decision.Labels}
		}
		shelves[key].add(answer.Hit{Listing: l, Score: 1})
		return true
	})}
	for _, s := range shelves {
		s.cut(shelfLength)
		found.newest = append(found.newest, *s)
	}
	return found
}

// names takes in which countries the terms name.
func (in *area) names(decision terms.Decision) {
	all := []terms.Restriction{decision.Countries}
	for _, own := range decision.Own {
		for _, option := range own.Options {
			all = append(all, option.Countries)
		}
	}
	for _, r := range all {
		for _, code := range slices.Concat(r.Permit, r.Prohibit) {
			in.countries[code] = true
		}
	}
}

// add puts an item on the shelf.
func (s *shelf) add(hit answer.Hit) {
	if s.hits = append(s.hits, hit); len(s.hits) >= 4*shelfLength {
		s.cut(shelfLength)
	}
}

// cut leaves only the newest.
func (s *shelf) cut(most int) {
	slices.SortFunc(s.hits, newestFirst)
	s.hits = s.hits[:min(most, len(s.hits))]
}

func newestFirst(a, b answer.Hit) int {
	return cmp.Or(cmp.Compare(b.Dated, a.Dated), cmp.Compare(a.Site, b.Site), cmp.Compare(a.URL, b.URL), cmp.Compare(a.Source, b.Source))
}

// direct is the way in which passages are delivered, as the terms name it.
const direct = "direct"

// gives says whether an item may give passages to requests in an editorial domain from a country, and what the terms
// say of it where it lies in that domain.
func (d *Desk) gives(rules *terms.Terms, owner *Excerpts, l *answer.Listing, area, country string) (decision terms.Decision, ok bool) {
	if !d.served[l.Site] || !owner.owns(l.URL) {
		return decision, false
	}
	decision = decide(rules, l)
	if !slices.ContainsFunc(decision.Labels, func(label string) bool { return intent.Within(label, area) }) {
		return terms.Decision{}, false
	}
	return decision, decision.Permits(terms.Use{Function: functionInput, Country: country}) == terms.Permitted &&
		(len(decision.Delivery) == 0 || slices.Contains(decision.Delivery, direct))
}

// owns says whether an address is the publisher's.
func (e *Excerpts) owns(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" {
		return false
	}
	host := strings.ToLower(u.Hostname())
	return strings.TrimPrefix(host, "www.") == strings.TrimPrefix(e.Domain, "www.") ||
		slices.ContainsFunc(e.Hosts, func(h string) bool { return strings.EqualFold(h, host) })
}

// depth is how many passages beside the best an article may give at most.
const depth = 8

// candidates finds passages that fit a request, the best first, more than will be given.
func (d *Desk) candidates(ctx context.Context, g *gate, owner *Excerpts, r Retrieval, area string) ([]passage, error) {
	within := d.within(g, owner, area, r.Country)
	if within.Empty() {
		return nil, nil
	}
	most := 2 * tighter(owner.MaxChunks, r.Key.MaxChunks)
	var hits []answer.Hit
	if text := strings.TrimSpace(r.Text); text != "" {
		hits = g.view.Find(answer.Question{
			Text: clipped(text, MaxText), Limit: most, MinScore: d.config.MinScore, Within: within.Selection, Prefer: []string{r.Language}, Further: depth,
		}).Hits
	} else {
		hits = within.latest(r, most)
	}
	articles, err := d.articles(ctx, g, hits)
	if err != nil {
		return nil, err
	}
	var found []passage
	for round := range depth + 1 {
		for i, hit := range hits {
			a := articles[i]
			at := hit.Passage
			if round > 0 {
				if round > len(hit.Further) || hit.Score < hits[0].Score/2 {
					continue
				}
				at = hit.Further[round-1]
			}
			if a == nil || at >= len(a.passages) {
				continue
			}
			found = append(found, passage{article: a, at: at, rule: decide(g.terms, hit.Listing).Rule + 1})
		}
	}
	return found, nil
}

// latest are the items for a request without a question: those in the narrower domain that it names first, and of each
// the newest.
func (o *opened) latest(r Retrieval, most int) (hits []answer.Hit) {
	inner := []string{r.Domain + "." + r.Subdomain, r.Subdomain, r.Domain}
	ranks := make([][]answer.Hit, len(inner)+1)
	for _, s := range o.newest {
		rank := slices.IndexFunc(inner, func(label string) bool {
			return label != "" && slices.ContainsFunc(s.labels, func(own string) bool { return intent.Within(own, label) })
		})
		if rank < 0 {
			rank = len(inner)
		}
		ranks[rank] = append(ranks[rank], s.hits...)
	}
	for _, of := range ranks {
		slices.SortFunc(of, newestFirst)
		hits = append(hits, slices.CompactFunc(of, func(a, b answer.Hit) bool { return a.Site == b.Site && a.URL == b.URL })...)
		if len(hits) >= most {
			return hits[:most]
		}
	}
	return hits
}

// clipped is the beginning of a text, up to a number of characters.
func clipped(text string, most int) string {
	for i := range text {
		if most--; most < 0 {
			return text[:i]
		}
	}
	return text
}

// articles loads what passages are taken from; nil for items whose version is gone, or whose text is not theirs alone.
func (d *Desk) articles(ctx context.Context, g *gate, hits []answer.Hit) ([]*article, error) {
	found := make([]*article, len(hits))
	var missing []int
	var refs []content.Ref
	for i, hit := range hits {
		if a, ok := d.articleCache.GetIfPresent(cardKey{hit.Listing, g.terms}); ok {
			found[i] = a
			continue
		}
		missing, refs = append(missing, i), append(refs, hit.Ref)
	}
	if len(missing) == 0 {
		return found, nil
	}
	items, err := d.config.Catalog.Load(ctx, refs...)
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) {
			return nil, fail.New(fail.Timeout, "the time allowed ran out before the answer was ready").Because(err)
		}
		unavailable := fail.New(fail.Unavailable, "the content cannot be read at the moment; try again")
		unavailable.RetryAfter = 5 * time.Second
		return nil, unavailable.Because(err)
	}
	for n, i := range missing {
		if items[n].URL == "" {
			continue
		}
		found[i] = newArticle(g.terms, hits[i].Listing, items[n])
		d.articleCache.Set(cardKey{hits[i].Listing, g.terms}, found[i])
	}
	return found, nil
}

func newArticle(rules *terms.Terms, l *answer.Listing, item content.Item) *article {
	a := &article{site: l.Site, url: item.URL, title: item.Name, publisher: item.Publisher}
	decision := decide(rules, l)
	if decision.Access != terms.Open && calledByText(item) {
		a.title = Excerpt(item.Name, decision.ExcerptWords)
	}
	if (sieve{rules, l}).holdsText(item.Object) {
		return a // some of the words are of things that are not open
	}
	a.passages = item.Passages
	a.words = decision.DisplayWords
	for _, p := range a.passages {
		a.bytes += len(p.Text)
	}
	return a
}

// tighter is a limit where a key may have its own below it.
func tighter(declared, own int) int {
	if own > 0 {
		return min(declared, own)
	}
	return declared
}

// give chooses of the candidates what may be given, and records it.
func (d *Desk) give(ctx context.Context, tx *store.Tx, g *gate, owner *Excerpts, r Retrieval, candidates []passage, now time.Time) (*Retrieved, *Refusal, error) {
	if len(candidates) == 0 {
		return nil, refuse(NoContent, "Nothing here fits the request."), nil
	}
	session := excerpt.Session(r.Key.Platform, r.Session)
	given, err := excerpt.GivenTo(ctx, tx, session, now)
	if err != nil {
		return nil, nil, err
	}
	out := &Retrieved{At: now.UTC().Truncate(time.Microsecond), Event: intent.AccessEventID(owner.PublisherID, r.Key.Platform, r.ID)}
	record := out.choose(owner, r.Key, candidates, given)
	if len(out.Chunks) == 0 {
		return nil, refuse(PolicyViolation, "This session has seen as much of what fits as the publisher gives."), nil
	}
	entry, err := d.recordAccess(ctx, tx, g.terms, owner, r, record, out)
	if err != nil {
		return nil, nil, err
	}
	out.Entry, record.Entry = entry, entry
	if err := d.tell(ctx, tx, owner, r, record, out); err != nil {
		return nil, nil, err
	}
	if err := excerpt.Give(ctx, tx, session, given, now.Add(owner.SessionFor)); err != nil {
		return nil, nil, err
	}
	return out, nil, excerpt.Put(ctx, tx, excerpt.Request{Platform: r.Key.Platform, ID: r.ID, Digest: r.Digest, At: out.At, Outcome: excerpt.Ok, Answer: record})
}

// choose takes in of passages, the best first, what may be given beside what the session was given before, and says how
// that is recorded.
func (out *Retrieved) choose(owner *Excerpts, key trust.PlatformKey, passages []passage, given excerpt.Given) (record excerpt.Answer) {
	out.Citations = owner.Citations
	out.MaxChunks, out.MaxTokens = tighter(owner.MaxChunks, key.MaxChunks), tighter(owner.MaxTokens, key.MaxTokens)
	record.MaxChunks, record.MaxTokens = out.MaxChunks, out.MaxTokens
	for _, p := range passages {
		if len(out.Chunks) == out.MaxChunks {
			break
		}
		whole := p.article.passages[p.at]
		text := p.part(whole.Text, p.article.left(p.at, owner, given), out.MaxTokens-record.Tokens)
		if text == "" || out.has(p) {
			continue
		}
		c := excerpt.Chunk{Site: p.article.site, URL: p.article.url, Passage: whole.ID, Rule: p.rule}
		if len(text) < len(whole.Text) {
			c.Bytes = len(text)
		}
		given.Add(c.URL, c.Passage, len(text))
		record.Chunks = append(record.Chunks, c)
		record.Tokens += intent.Tokens(text)
		out.add(owner, p.article, c, text)
	}
	return record
}

// has says whether a passage is among the chunks; two sources may have the same article.
func (out *Retrieved) has(p passage) bool {
	id := chunkID(excerpt.Chunk{Site: p.article.site, URL: p.article.url, Passage: p.article.passages[p.at].ID})
	return slices.ContainsFunc(out.Chunks, func(c Chunk) bool { return c.ID == id })
}

// left is how many bytes of a passage a session may see, from its beginning, that was given some of the article before.
func (a *article) left(at int, owner *Excerpts, given excerpt.Given) int {
	left, own := a.bytes, given[a.url][a.passages[at].ID]
	if !owner.FullArticle {
		left = own + max(0, int(float64(a.bytes)*owner.Share)-given.Of(a.url))
	}
	if a.words == 0 {
		return left
	}
	words := a.words
	for i, p := range a.passages {
		if seen := given[a.url][p.ID]; i != at && seen > 0 {
			words -= len(strings.Fields(p.Text[:min(seen, len(p.Text))]))
		}
	}
	return min(left, max(own, endOfWord(a.passages[at].Text, words)))
}

// endOfWord is where a word of a text ends, counted from 1; the text's end where it has fewer words.
func endOfWord(text string, n int) int {
	if n <= 0 {
		return 0
	}
	within := false
	for i, r := range text {
		blank := unicode.IsSpace(r)
		if within && blank {
			if n--; n == 0 {
				return i
			}
		}
		within = !blank
	}
	return len(text)
}

// add takes a chunk in, with its source.
func (out *Retrieved) add(owner *Excerpts, a *article, c excerpt.Chunk, text string) {
	id := chunkID(c)
	out.Chunks = append(out.Chunks, Chunk{ID: id, Text: text, Tokens: intent.Tokens(text)})
	at := slices.IndexFunc(out.Sources, func(s Source) bool { return s.URL == c.URL })
	if at < 0 {
		at = len(out.Sources)
		out.Sources = append(out.Sources, Source{URL: c.URL, Title: a.title, Publisher: cmp.Or(a.publisher, owner.PublisherName)})
	}
	out.Sources[at].Chunks = append(out.Sources[at].Chunks, id)
}

var lettered = base32.StdEncoding.WithPadding(base32.NoPadding)

// chunkID is the id of a passage for everybody, whoever asks and whenever.
func chunkID(c excerpt.Chunk) string {
	sum := sha256.Sum256([]byte(c.Site + "\n" + c.URL + "\n" + c.Passage))
	return "c_" + strings.ToLower(lettered.EncodeToString(sum[:15]))
}

// part is what of a passage's text may be given, in so many bytes and tokens. Of one that was given in part before it is
// that part, as long as it fits.
func (p passage) part(text string, bytes, tokens int) string {
	if p.bytes == 0 || p.bytes >= len(text) {
		return beginning(text, bytes, tokens)
	}
	if once := text[:p.bytes]; p.bytes <= bytes && utf8.ValidString(once) && intent.Tokens(once) <= tokens {
		return once
	}
	return beginning(text, min(bytes, p.bytes), tokens)
}

// beginning is the beginning of a text that fits into a number of bytes and of tokens: all of it, or whole sentences,
// or, where the first is longer, whole words; empty when hardly anything would be left.
func beginning(text string, bytes, tokens int) string {
	whole := text
	if bytes < len(text) {
		for bytes > 0 && text[bytes]&0xC0 == 0x80 {
			bytes--
		}
		text = text[:max(0, bytes)]
	}
	text = clipped(text, max(0, 4*tokens))
	if len(text) == len(whole) {
		return whole
	}
	if end := lastSentence(text); end >= len(text)/3 {
		return strings.TrimRight(text[:end], " \n")
	}
	if blank := strings.LastIndexAny(text, " \n"); blank >= len(text)/2 && blank >= leastPart {
		return strings.TrimRight(text[:blank], " \n")
	}
	if len(text) >= leastPart && !strings.ContainsAny(text, " \n") { // a language without blanks
		return text
	}
	return ""
}

// leastPart is how many bytes of a sentence are worth giving.
const leastPart = 24

// lastSentence is where the last whole sentence of a text that goes on ends, 0 for none.
func lastSentence(text string) (end int) {
	for i, r := range text {
		switch {
		case strings.ContainsRune("。！？", r), r == '\n':
			end = i + len(string(r))
		case strings.ContainsRune(".!?", r) && i+1 < len(text) && (text[i+1] == ' ' || text[i+1] == '\n'):
			end = i + 1
		}
	}
	return end
}

// accessBody is the body of a ledger entry of kind "access".
type accessBody struct {
	Event     string       `json:"event_id"`
	Publisher publisherOf  `json:"publisher"`
	Platform  platformOf   `json:"platform"`
	Returned  int          `json:"chunks_returned"`
	Tokens    int          `json:"token_count"`
	Mode      string       `json:"retrieval_mode"`
	Items     []accessItem `json:"items"`
	Terms     string       `json:"terms"`
}

type publisherOf struct {
	ID     string `json:"id"`
	Domain string `json:"domain"`
}

type platformOf struct {
	ID string `json:"id"`
}

type accessItem struct {
	URL    string   `json:"url"`
	Chunks []string `json:"chunks"`
	Rule   int      `json:"rule"`
}

// recordAccess puts the access event into the ledger.
func (d *Desk) recordAccess(ctx context.Context, tx *store.Tx, rules *terms.Terms, owner *Excerpts, r Retrieval, record excerpt.Answer, out *Retrieved) (id string, err error) {
	body := accessBody{
		Event: intent.AccessEventID(owner.PublisherID, r.Key.Platform, r.ID), Publisher: publisherOf{owner.PublisherID, owner.Domain}, Platform: platformOf{r.Key.Platform},
		Returned: len(out.Chunks), Tokens: record.Tokens, Mode: "chunks", Terms: rules.Version(),
	}
	site := record.Chunks[0].Site
	for _, s := range out.Sources {
		body.Items = append(body.Items, accessItem{URL: s.URL, Chunks: s.Chunks})
	}
	for _, c := range record.Chunks {
		at := slices.IndexFunc(body.Items, func(i accessItem) bool { return i.URL == c.URL })
		body.Items[at].Rule = c.Rule
	}
	return d.entry(ctx, tx, receipt.Entry{Time: out.At, Site: site, Kind: "access", Party: "platform:" + r.Key.Platform, Request: r.ID}, body)
}

// tell puts the access event into the outbox of those who get it.
func (d *Desk) tell(ctx context.Context, tx *store.Tx, owner *Excerpts, r Retrieval, record excerpt.Answer, out *Retrieved) error {
	var body []byte
	for _, sink := range d.excerpting.Sinks {
		if sink.Platform != "" && sink.Platform != r.Key.Platform {
			continue
		}
		if body == nil {
			var err error
			if body, err = json.Marshal(intent.Event{
				Version: r.Version, EventID: out.Event, Type: intent.EventAccess, Timestamp: out.At.Format(time.RFC3339Nano), RequestID: r.ID,
				Publisher: intent.EventPublisher{ID: owner.PublisherID, Domain: owner.Domain}, Platform: intent.EventPlatform{ID: r.Key.Platform},
				Access: &intent.Access{ChunksReturned: len(out.Chunks), TokenCount: record.Tokens, RetrievalMode: intent.RetrievalChunks},
			}, json.Deterministic(true)); err != nil {
				return fmt.Errorf("write an access event: %w", err)
			}
		}
		if err := outbox.Put(ctx, tx, outbox.Effect{ID: sink.Name + "/" + out.Event, Sink: sink.Name, Body: body}, out.At); err != nil {
			return err
		}
	}
	return nil
}

// entry appends an entry with a body to the ledger.
func (d *Desk) entry(ctx context.Context, tx *store.Tx, e receipt.Entry, body any) (id string, err error) {
	if e.Body, err = json.Marshal(body, json.Deterministic(true)); err != nil {
		return "", fmt.Errorf("write an entry's body: %w", err)
	}
	return d.excerpting.Ledger.Append(ctx, tx, e)
}

// giveAgain gives what was given before, as far as today's terms and declaration allow it.
func (d *Desk) giveAgain(ctx context.Context, g *gate, owner *Excerpts, now Retrieval, r excerpt.Request, area string) (*Retrieved, error) {
	type place struct{ site, url string }
	articles := map[place][]*article{}
	var passages []passage
	for _, c := range r.Answer.Chunks {
		sources, known := articles[place{c.Site, c.URL}]
		if !known {
			var err error
			if sources, err = d.articlesAt(ctx, g, owner, c.Site, c.URL, area, now.Country); err != nil {
				return nil, err
			}
			articles[place{c.Site, c.URL}] = sources
		}
		for _, a := range sources {
			if at := slices.IndexFunc(a.passages, func(p content.Passage) bool { return p.ID == c.Passage }); at >= 0 {
				passages = append(passages, passage{a, at, c.Bytes, c.Rule})
				break
			}
		}
	}
	out := &Retrieved{At: r.At, Event: intent.AccessEventID(owner.PublisherID, r.Platform, r.ID), Entry: r.Answer.Entry, Again: true}
	if out.choose(owner, now.Key, passages, excerpt.Given{}); len(out.Chunks) == 0 {
		return nil, refuse(PolicyViolation, "What this request was given may not be given any more.")
	}
	return out, nil
}

// articlesAt are the articles at an address, one for each source that has it, that may give passages to requests in an
// editorial domain.
func (d *Desk) articlesAt(ctx context.Context, g *gate, owner *Excerpts, site, address, area, country string) (found []*article, err error) {
	refs, err := d.config.Catalog.Find(ctx, site, address)
	if err != nil {
		return nil, err
	}
	items, err := d.config.Catalog.Load(ctx, refs...)
	if err != nil {
		return nil, err
	}
	for i, item := range items {
		l := &answer.Listing{Ref: refs[i], URL: item.URL, Types: item.Types, Own: terms.Markup(item.Types, item.Object, content.IsA)}
		if _, ok := d.gives(g.terms, owner, l, area, country); ok && item.URL != "" {
			found = append(found, newArticle(g.terms, l, item))
		}
	}
	return found, nil
}
