// Package catalog finds the entries that can be sold at an address: the items of content, and what
// tenants pushed. An [Entry] holds what an offer says of a resource. The catalog follows the change
// feeds of content and of catalog/push, and keeps everything in memory: a few hundred bytes an
// item, with a snapshot file for quick starts.
//
// The package owns canonical addresses, identifiers and the snapshot. It must not know the owner's
// rules: [Entry.Facts] gives what the rules match on, and licensing/exchange decides. Enter by
// [New], [Catalog.Refresh] and [Catalog.Find].
package catalog

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/licensing/catalog/push"
	"frontdesk/internal/policy/imported"
)

// Config is what a Catalog needs.
type Config struct {
	Content *content.Catalog
	// Pushes is what is pushed; nil for nothing.
	Pushes *push.Store
	// Imported gives what a site or a tenant tells elsewhere of an address, which is given as
	// Canonical writes it, the source first that counts first; nil for nothing. Teller gives whose
	// sitemaps tell of a host's addresses that are for sale though nothing of them is here; nil for
	// nobody's.
	Imported     func(site, canonical string) []imported.Address
	ImportedHost func(host string) (site string, ok bool)
	// Owns says whether what is pushed for a tenant may be sold at an address, given as
	// CanonicalURI writes it: what it pushed when the address was its own stands in nobody's way.
	// Nil for all.
	Owns func(tenant, canonical string) bool
	// Kind says what kind of source one of content's is; nil for all alike.
	Kind func(site, source string) imported.Source
	// Statements are what the owner says of items beside what they say of themselves.
	Statements []Statement
	// Aliases are addresses under which items are sold beside their own.
	Aliases []Alias
	// Factors are how many tokens a word makes, by language ("de"), "" for those not named; nil for
	// the usual ones.
	Factors map[string]float64
	// Snapshot is the file from which the catalog starts, and which Save writes; empty for none.
	Snapshot string
	// Similar has each entry bear the simhash-v1 of what is delivered, beside its SHA-256.
	Similar bool
	Log     *slog.Logger // nil for none
}

// Catalog finds what can be sold by its address. Its readers may be called concurrently, also
// during Refresh.
type Catalog struct {
	config  Config
	aliases aliases

	refresh sync.Mutex // one refresh at a time; guards what follows
	cursor  map[content.SourceKey]int64
	pushed  map[string]int64 // by tenant
	tried   bool             // to start from the file
	doubted bool             // the file may be of another database
	saved   map[content.SourceKey]int64
	kept    map[string]int64 // pushed, when it was saved

	mu   sync.RWMutex // guards what follows; held by a refresh only while it puts in what it has read
	t    *table
	asOf map[content.SourceKey]time.Time
}

// New returns a catalog that knows nothing yet; Refresh fills it. Its error names the alias that is
// wrong.
func New(config Config) (*Catalog, error) {
	if config.Log == nil {
		config.Log = slog.New(slog.DiscardHandler)
	}
	compiled, err := compileAliases(config.Aliases)
	if err != nil {
		return nil, err
	}
	return &Catalog{config: config, aliases: compiled, t: newTable()}, nil
}

// Refresh brings the catalog to what content has published, and says whether that changed anything.
// The first one starts from the file, where there is one that fits the database, and else reads
// everything. On error the old state stays.
func (c *Catalog) Refresh(ctx context.Context) (changed bool, err error) {
	c.refresh.Lock()
	defer c.refresh.Unlock()
	if !c.tried {
		c.tried = true
		c.start()
	}
	sources, err := c.config.Content.Sources(ctx)
	if err != nil {
		return false, fmt.Errorf("read how the sources stand: %w", err)
	}
	now, err := c.config.Content.Revisions(ctx)
	if err != nil {
		return false, fmt.Errorf("read the catalog's revisions: %w", err)
	}
	asOf := map[content.SourceKey]time.Time{}
	for _, s := range sources {
		asOf[s.SourceKey] = s.LastRun
	}
	if maps.Equal(c.cursor, now) {
		c.mu.Lock()
		c.asOf = asOf
		c.mu.Unlock()
		if changed, err = c.pushes(ctx); err != nil {
			return changed, err
		}
		anew, err := c.prove(ctx)
		return changed || anew, err
	}
	if c.cursor == nil {
		err = content.ErrBehind
	}
	var cursor map[content.SourceKey]int64
	var read *changes
	if err == nil {
		cursor, read, err = c.read(ctx, c.cursor)
	}
	if errors.Is(err, content.ErrBehind) {
		cursor, read, err = c.readAnew(ctx)
	}
	if err != nil {
		return false, fmt.Errorf("read the catalog's changes: %w", err)
	}
	c.enter(read, cursor, asOf)
	if _, err = c.pushes(ctx); err == nil {
		_, err = c.prove(ctx)
	}
	return err == nil, err
}

// readAnew reads everything: what content has published, and what was pushed.
func (c *Catalog) readAnew(ctx context.Context) (cursor map[content.SourceKey]int64, ch *changes, err error) {
	if cursor, ch, err = c.read(ctx, nil); err != nil {
		return nil, nil, err
	}
	ch.pushed, err = c.readPushes(ctx, nil, ch)
	return cursor, ch, err
}

// enter puts in what was read. Readers wait only while that is done: what takes the longer the more
// there is, they read by.
func (c *Catalog) enter(changes *changes, cursor map[content.SourceKey]int64, asOf map[content.SourceKey]time.Time) {
	take := func() {}
	if changes.fresh == nil {
		take = c.t.room(len(changes.put))
	}
	c.mu.Lock()
	if take(); changes.fresh != nil {
		c.t = changes.fresh
	} else {
		changes.apply(c.t)
	}
	c.cursor, c.asOf = cursor, asOf
	if changes.pushed != nil {
		c.pushed = changes.pushed
	}
	entries, wasteful := c.t.alive, changes.fresh == nil && c.t.wasteful()
	c.mu.Unlock()
	if wasteful {
		packed := c.t.packed()
		c.mu.Lock()
		c.t = packed
		c.mu.Unlock()
	}
	c.config.Log.Debug("catalog follows the content", "entries", entries)
}

// proof is how many entries of a file are held against the database.
const proof = 64

// prove looks whether what came from the file is of this database, and reads everything anew when
// some of it is not. It says whether it did.
func (c *Catalog) prove(ctx context.Context) (anew bool, err error) {
	if !c.doubted {
		return false, nil
	}
	var refs []content.Ref
	for i := range proof {
		if part, _ := c.some(i * len(c.t.rows) / proof / entriesAtOnce * entriesAtOnce); len(part) > 0 {
			refs = append(refs, part[i%len(part)].Ref)
		}
	}
	pushedOK, err := c.provePushed(ctx, &refs)
	var items []content.Item
	if err == nil {
		items, err = c.config.Content.LoadItems(ctx, refs...)
	}
	if err != nil {
		return false, fmt.Errorf("hold the catalog's file against the database: %w", err)
	}
	c.doubted = false
	if pushedOK && !slices.ContainsFunc(items, func(i content.Item) bool { return i.URL == "" }) {
		return false, nil
	}
	c.config.Log.Warn("the catalog's file is not of this database; reading the catalog anew", "file", c.config.Snapshot)
	cursor, changes, err := c.readAnew(ctx)
	if err != nil {
		return false, fmt.Errorf("read the catalog's changes: %w", err)
	}
	c.enter(changes, cursor, c.asOf)
	return true, nil
}

// provePushed takes the references to what was pushed out of some, and says whether the database
// has all of them.
func (c *Catalog) provePushed(ctx context.Context, refs *[]content.Ref) (ok bool, err error) {
	ok = true
	*refs = slices.DeleteFunc(*refs, func(ref content.Ref) bool {
		if ref.Source != PushedSource {
			return false
		}
		id, _ := content.PackID(ref.ID)
		n, found := c.t.find(id)
		if has := false; found && err == nil && c.config.Pushes != nil {
			e := c.t.entry(id, c.t.record(c.t.rows[n].at))
			has, err = c.config.Pushes.Has(ctx, e.Site, PlaceOf(e.URL), e.Pushed.Author)
			ok = ok && has
		}
		return true
	})
	return ok && (c.config.Pushes != nil || len(c.pushed) == 0), err
}

// Find gives the entries at an address, by site and source: the items whose own address it is, or
// else those that it is an alias of, by the longest beginning, else by the longest pattern with
// stars; or else the pushed entries that stand for all that begins so, or for what fits their
// stars. A URI of another scheme than the web's is an address as well; there are none for what is
// no URI.
func (c *Catalog) Find(address string) []Entry {
	canonical, err := CanonicalURI(address)
	if err != nil {
		return nil
	}
	c.mu.RLock()
	defer c.mu.RUnlock()
	found := c.exactly(canonical)
	if slices.ContainsFunc(found, func(e Entry) bool { return !e.Pushed.AttestsOnly }) {
		return c.applyImported(merged(found, canonical), canonical)
	}
	asides := found // what does nothing but attest stands in nothing's way
	item, ok := c.aliases.find(canonical)
	if !ok {
		if found = c.listed(canonical); len(found) > 0 {
			return found
		}
		found = c.applyImported(merged(append(c.fitting(canonical), asides...), canonical), canonical)
		for i := range found {
			found[i].Address = address
		}
		return found
	}
	found = c.applyImported(merged(c.exactly(item), item), item)
	for i := range found {
		found[i].Address = address
	}
	return found
}

// exactly gives the entries whose own address it is. The caller holds mu.
func (c *Catalog) exactly(canonical string) (found []Entry) {
	c.t.at(canonical, func(row row, r record) {
		if e := c.entry(row, r); c.owned(&e, canonical) {
			found = append(found, e)
		}
	})
	if len(found) > 1 {
		slices.SortFunc(found, func(a, b Entry) int {
			return cmp.Or(strings.Compare(a.Site, b.Site), cmp.Compare(c.rank(&a), c.rank(&b)),
				strings.Compare(a.Site+"\n"+a.Source+"\n"+a.URL, b.Site+"\n"+b.Source+"\n"+b.URL))
		})
	}
	return found
}

// owned says whether an entry is of content, or pushed for whoever has the host of an address by
// now.
func (c *Catalog) owned(e *Entry, canonical string) bool {
	return !e.IsPushed() || c.config.Owns == nil || c.config.Owns(e.Site, canonical)
}

// entry makes an entry of a record and of what the owner says of it. The caller holds mu.
func (c *Catalog) entry(row row, r record) Entry {
	e := c.t.entry(row.id, r)
	if !e.IsPushed() {
		e.AsOf = c.asOf[content.SourceKey{Site: e.Site, Source: e.Source}]
	}
	e.factor = factorOf(c.config.Factors, e.Language)
	e.state(c.config.Statements)
	return e
}

// entriesAtOnce is how many entries All reads before it lets a refresh through.
const entriesAtOnce = 256

// All gives every entry, in no order. What changes meanwhile may come in either state, and what
// moves twice or not at all.
func (c *Catalog) All() iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for at := 0; ; at += entriesAtOnce {
			part, more := c.some(at)
			for _, e := range part {
				if !yield(e) {
					return
				}
			}
			if !more {
				return
			}
		}
	}
}

func (c *Catalog) some(at int) (part []Entry, more bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	end := min(at+entriesAtOnce, len(c.t.rows))
	for _, row := range c.t.rows[min(at, end):end] {
		if row.at != 0 {
			part = append(part, c.entry(row, c.t.record(row.at)))
		}
	}
	return part, end < len(c.t.rows)
}

// Len is how many entries there are.
func (c *Catalog) Len() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.t.alive
}

// Hosts are the hosts under which there are entries, in order.
func (c *Catalog) Hosts() []string {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.t.hosts)), func(host string) bool { return host == "" })
}
