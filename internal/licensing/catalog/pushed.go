package catalog

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/content"
	visible "frontdesk/internal/infra/plain"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/catalog/push"
)

// PushedSource is the source of entries that were pushed (RAMP v1, CATALOG_API). No source of
// content has such a name.
const PushedSource = "catalog:api"

// Pushed is what only pushed entries have.
type Pushed struct {
	Author string // the domain of the contributor who pushed it; empty for the provider itself
	// Digest is a hash of the content that is none of SHA-256, as whoever pushed it says, by
	// Method; empty for none.
	Digest, Method string
	Hashed         bool // Entry.Hash is what whoever pushed it says
	Quantity       int  // about how much of it one use takes, in whatever its price counts; 0 for unknown
	// Attested says that something is attested of it, at the address At of its tenant, as
	// supply.Shelves has it.
	Attested bool
	At       string
	// Attests says which versions of which entries that is: it is another text once anybody attests
	// something else.
	Attests string
	// AttestsOnly says that the entry only attests what its address has otherwise: without content
	// or another entry there, nothing is sold.
	AttestsOnly bool
	// Pattern says that it was pushed for more addresses than one: URL and Address are then those
	// that were asked for.
	Pattern bool
}

// attests is how Attests names an entry by its author and revision.
func attests(author string, revision int64) string {
	return author + " " + strconv.FormatInt(revision, 36)
}

// AttestedBy says whether Attests has the entry of an author at a revision. Another revision of it
// may attest something else, of another text.
func (p *Pushed) AttestedBy(author string, revision int64) bool {
	return slices.Contains(strings.Split(p.Attests, ","), attests(author, revision))
}

// IsPushed says whether the entry was pushed: what is at its address is not here.
func (e *Entry) IsPushed() bool { return e.Source == PushedSource }

// The parts of a record that those of pushed entries have beside the others.
const (
	partQuantity, partDigest, partMethod, partHashed, partAuthor, partAsOf, partAttested, partAside = 'q', 'h', 'e',
		'f', 'u', 't', 'a', 'o'
)

// pushedID is the identity of an entry: that of its tenant, address and author.
func pushedID(tenant, address, author string) (id content.PackedID) {
	sum := sha256.Sum256([]byte("pushed\n" + tenant + "\n" + address + "\n" + author))
	copy(id[:], sum[:])
	return id
}

// pushedRecord writes what was pushed as a record.
func pushedRecord(words *intern, c *push.Change) record {
	e := &c.Entry
	w := writer{b: make([]byte, 0, 192)}
	w.text(e.Address)
	w.number(urlSecure)
	w.number(words.number(c.Tenant + "\n" + PushedSource))
	w.number(uint64(c.Revision))
	for range 5 { // types, language, publisher, media, own
		w.number(0)
	}
	w.number(0) // published
	w.number(0) // modified
	mutability := Dynamic
	if e.Hash != "" {
		mutability = Static
	}
	w.number(words.number(string(mutability)))
	w.number(uint64(max(e.Words, 0)))
	hash, hashed := sha256Of(e.Hash, e.Method)
	w.b = append(w.b, hash[:]...)
	w.text(clip(visible.Sanitize(e.Title), maxTitle))
	w.text("") // authors
	part := func(letter byte, text string) {
		if text != "" {
			w.b = append(w.b, letter)
			w.text(text)
		}
	}
	asOf := e.Pushed
	if !e.Collected.IsZero() && e.Collected.Before(asOf) {
		asOf = e.Collected
	}
	part(partAsOf, strconv.FormatInt(store.Micros(asOf), 36))
	part(partAuthor, e.Author)
	if e.Quantity > 0 {
		part(partQuantity, strconv.FormatInt(e.Quantity, 10))
	}
	if hashed {
		part(partHashed, "1")
	} else {
		part(partDigest, clip(e.Hash, maxDigest))
		part(partMethod, clip(e.Method, maxMethod))
	}
	if e.Attested {
		part(partAttested, "1")
	}
	if e.AttestsOnly {
		part(partAside, "1")
	}
	return w.b
}

// The bounds of a hash and its method, in bytes.
const maxDigest, maxMethod = 256, 64

// sha256Of reads a hash that is one of SHA-256 in hex, under whichever of its names.
func sha256Of(hash, method string) (sum [sha256.Size]byte, ok bool) {
	if name, digest, named := strings.Cut(hash, ":"); named && (method == "" || strings.EqualFold(name, method)) {
		method, hash = name, digest
	}
	if strings.ToLower(strings.ReplaceAll(method, "-", "")) != "sha256" || len(hash) != 2*len(sum) {
		return sum, false
	}
	if _, err := hex.Decode(sum[:], []byte(hash)); err != nil {
		return [sha256.Size]byte{}, false
	}
	return sum, true
}

// readPushed reads one of the parts that pushed entries alone have.
func (e *Entry) readPushed(letter byte, text string, n int) {
	p := &e.Pushed
	switch letter {
	case partAsOf:
		at, _ := strconv.ParseInt(text, 36, 64)
		e.AsOf = store.FromMicros(at)
	case partAuthor:
		p.Author = text
	case partQuantity:
		p.Quantity = n
	case partHashed:
		p.Hashed = true
	case partDigest:
		p.Digest = text
	case partMethod:
		p.Method = text
	case partAttested:
		p.Attested = true
	case partAside:
		p.AttestsOnly = true
	}
}

// isPushed says whether a record is one of a pushed entry. It reads no more of it than that takes.
func (t *table) isPushed(r record) bool {
	in := peek(r)
	in.text()
	if in.number() == urlOwn {
		return false
	}
	return strings.HasSuffix(t.words.texts[in.number()], "\n"+PushedSource)
}

// patterns are the pushed entries of a host that stand for more addresses than their own.
// Beginnings are found by the table, as other entries are: there are only so many ways to cut an
// address.
type patterns struct {
	beginnings int // how many end in a slash or a star
	globs      []pushedGlob
}

type pushedGlob struct {
	glob
	row uint32
}

// pattern counts a row's record among the patterns of its host, or no longer, where it is one.
func (t *table) pattern(n uint32, r record, by int) {
	address := string(r.address())
	beginning, stars := push.Pattern(address)
	if !beginning && !stars || !t.isPushed(r) {
		return
	}
	host := string(r.host())
	p := t.patterns[host]
	if p == nil {
		p = &patterns{}
		t.patterns[host] = p
	}
	switch {
	case beginning:
		p.beginnings += by
	case by < 0:
		p.globs = slices.DeleteFunc(p.globs, func(g pushedGlob) bool { return g.row == n })
	default:
		g := pushedGlob{glob: newGlob(address, ""), row: n}
		at, _ := slices.BinarySearchFunc(p.globs, g, func(a, b pushedGlob) int {
			return cmp.Or(cmp.Compare(b.weight, a.weight), slices.Compare(a.parts, b.parts), cmp.Compare(a.row, b.row))
		})
		p.globs = slices.Insert(p.globs, at, g)
	}
	if p.beginnings == 0 && len(p.globs) == 0 {
		delete(t.patterns, host)
	}
}

// fitting gives the pushed entries that stand for an address which is none's own: those of the
// longest beginning, else of the longest pattern with stars. The caller holds mu.
func (c *Catalog) fitting(canonical string) (found []Entry) {
	host := hostOf(canonical)
	p := c.t.patterns[host]
	if p == nil {
		return nil
	}
	take := func(row row, r record) {
		if !c.t.isPushed(r) {
			return
		}
		if e := c.entry(row, r); c.owned(&e, canonical) && !e.Pushed.AttestsOnly {
			found = append(found, e)
		}
	}
	end := len(canonical)
	if star := strings.IndexByte(canonical, '*'); star >= 0 {
		end = star // what has a star before its end is no beginning
	}
	for ; p.beginnings > 0 && end > len(host) && len(found) == 0; end-- {
		if c.t.at(canonical[:end]+"*", take); len(found) == 0 && canonical[end-1] == '/' {
			c.t.at(canonical[:end], take)
		}
	}
	for i := 0; i < len(p.globs) && len(found) == 0; i++ {
		if p.globs[i].match(canonical) {
			at := string(c.t.record(c.t.rows[p.globs[i].row].at).address())
			c.t.at(at, take)
		}
	}
	return found
}

// merged makes one of the entries at an address that several have pushed for a tenant: what the
// provider says itself counts first, then what contributors say, by their domains. Where content is
// published there, too, that is what is sold, and what is pushed adds what is attested.
func merged(found []Entry, asked string) []Entry {
	if !slices.ContainsFunc(found, func(e Entry) bool { return e.IsPushed() }) {
		return found
	}
	slices.SortStableFunc(found, func(a, b Entry) int {
		return cmp.Or(strings.Compare(a.Site, b.Site), compareBool(a.IsPushed(), b.IsPushed()),
			compareBool(a.Pushed.AttestsOnly, b.Pushed.AttestsOnly), strings.Compare(a.Pushed.Author, b.Pushed.Author))
	})
	out := found[:0]
	for _, e := range found {
		pushed := e.IsPushed()
		if pushed {
			e.patterned(asked)
		}
		if last := len(out) - 1; pushed && last >= 0 && out[last].Site == e.Site {
			for i := last; i >= 0 && out[i].Site == e.Site; i-- {
				out[i].add(&e)
			}
			continue
		}
		out = append(out, e)
	}
	return slices.DeleteFunc(out, func(e Entry) bool { return e.Pushed.AttestsOnly })
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// patterned makes an entry that stands for more addresses that of the one that was asked for. Its
// hash is of nothing that could be had.
func (e *Entry) patterned(asked string) {
	e.Pushed.At = PlaceOf(e.URL)
	if e.Pushed.Attested {
		e.Pushed.Attests = attests(e.Pushed.Author, e.Since)
	}
	beginning, stars := push.Pattern(e.Pushed.At)
	if !stars && (!beginning || asked == e.Pushed.At) {
		return
	}
	e.URL = URIOf(asked)
	e.Pushed.Pattern, e.Pushed.Attested, e.Pushed.Attests = true, false, ""
	e.Pushed.Hashed, e.Pushed.Digest, e.Pushed.Method, e.Hash, e.Mutability = false, "", "", [sha256.Size]byte{},
		Dynamic
}

// add adds to an entry what another that was pushed says of the same.
func (e *Entry) add(other *Entry) {
	if other.Pushed.Attested { // one that stands for more addresses attests nothing, and is kept elsewhere
		e.Pushed.Attested, e.Pushed.At = true, other.Pushed.At
		e.Pushed.Attests += "," + other.Pushed.Attests
	}
	if !e.IsPushed() || other.Pushed.AttestsOnly {
		return
	}
	first(&e.Title, other.Title)
	first(&e.Words, other.Words)
	first(&e.Pushed.Quantity, other.Pushed.Quantity)
	if !e.Pushed.Hashed && e.Pushed.Digest == "" {
		e.Hash, e.Pushed.Hashed, e.Pushed.Digest, e.Pushed.Method = other.Hash, other.Pushed.Hashed,
			other.Pushed.Digest, other.Pushed.Method
		e.Mutability = other.Mutability
	}
}

// FollowPushes brings the catalog to what was pushed, and says whether that changed anything. It is
// Refresh without a look at content, for right after a push; before the first Refresh it does
// nothing.
func (c *Catalog) FollowPushes(ctx context.Context) (changed bool, err error) {
	c.refresh.Lock()
	defer c.refresh.Unlock()
	if c.config.Pushes == nil || !c.tried {
		return false, nil
	}
	return c.pushes(ctx)
}

// pushes takes up what was pushed. The caller holds refresh. What it cannot be told it reads anew,
// with all else.
func (c *Catalog) pushes(ctx context.Context) (changed bool, err error) {
	if c.config.Pushes == nil {
		return false, nil
	}
	now, err := c.config.Pushes.Revisions(ctx)
	if err != nil {
		return false, fmt.Errorf("read how the tenants' entries stand: %w", err)
	}
	if maps.Equal(now, c.pushed) {
		return false, nil
	}
	words := c.t.words
	ch := &changes{words: &words}
	pushed, err := c.readPushes(ctx, c.pushed, ch)
	if errors.Is(err, push.ErrBehind) {
		var cursor map[content.SourceKey]int64
		if cursor, ch, err = c.readAnew(ctx); err != nil {
			return false, fmt.Errorf("read the catalog's changes: %w", err)
		}
		c.enter(ch, cursor, c.asOf)
		return true, nil
	}
	if err != nil {
		c.keepWords(ch)
		return false, fmt.Errorf("read what was pushed: %w", err)
	}
	ch.pushed = pushed
	c.enter(ch, c.cursor, c.asOf)
	return true, nil
}

// readPushes reads what was pushed since a cursor into changes; all of it without one.
func (c *Catalog) readPushes(ctx context.Context, from map[string]int64, ch *changes) (map[string]int64, error) {
	if c.config.Pushes == nil {
		return nil, nil
	}
	return c.config.Pushes.Changes(ctx, from, func(step push.Change) error {
		id := pushedID(step.Tenant, step.Entry.Address, step.Entry.Author)
		switch {
		case step.Removed:
			ch.removed = append(ch.removed, id)
		case ch.fresh != nil:
			ch.fresh.put(id, pushedRecord(ch.words, &step))
		default:
			ch.put = append(ch.put, change{id, pushedRecord(ch.words, &step)})
		}
		return nil
	})
}
