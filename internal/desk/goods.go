package desk

import (
	"context"
	"sync"
	"time"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
	"frontdesk/internal/licensing/catalog"
	"frontdesk/internal/policy"
)

// goods are what can be sold, and what is told of it in general.
type goods struct {
	catalog *catalog.Catalog // nil where nothing is sold

	policies   policies
	licensings licensings
	sitemaps   sitemaps

	mu      sync.Mutex    // guards what follows
	saved   time.Time     // when the catalog's file was looked after
	changed chan struct{} // closed when the catalog changes; nil while nobody waits for that
}

// changes gives what is closed when the catalog changes next.
func (g *goods) changes() <-chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changed == nil {
		g.changed = make(chan struct{})
	}
	return g.changed
}

// tell wakes who waits for changes.
func (g *goods) tell() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.changed != nil {
		close(g.changed)
		g.changed = nil
	}
}

// GoodsChanged has who waits for changes of what can be sold look again.
func (d *Desk) GoodsChanged() { d.goods.tell() }

// keepGoods is how often the catalog's file is brought up to date.
const keepGoods = 10 * time.Minute

// OpenGoods lets the desk sell what is in a catalog, which it keeps at the content's published state from then on. It is
// called before the first request.
func (d *Desk) OpenGoods(c *catalog.Catalog) { d.goods.catalog = c }

// Stock brings the catalog to the content's published state.
func (d *Desk) Stock(ctx context.Context, _ *released.View) error {
	if d.goods.catalog == nil {
		return nil
	}
	changed, err := d.goods.catalog.Refresh(ctx)
	if err != nil {
		return err
	}
	if changed {
		d.goods.tell()
	}
	now := d.config.Now()
	d.goods.mu.Lock()
	due := now.Sub(d.goods.saved) >= keepGoods
	if due {
		d.goods.saved = now
	}
	d.goods.mu.Unlock()
	if !due {
		return nil
	}
	if err := d.goods.catalog.Save(); err != nil {
		d.config.Log.Warn("what can be sold is not kept in its file, so that the next start takes longer", "error", err)
	}
	return nil
}

// ForSale says whether a licensed item is for sale to a stranger, so that answers may tell how it is bought: the terms
// name a price and sell it for something to somebody, without a scope, and with all that stands within it. selling is
// nil where no offers are made.
func ForSale(selling *Selling, rules *policy.Terms, l *index.Listing, decision policy.Decision, item *released.Copy) bool {
	if selling == nil || decision.Access != policy.Licensed {
		return false
	}
	owner := *selling
	owner.Strict = false // who asks may still say for whom
	q := quoter{owner: &owner, rules: rules, query: &Query{}, decision: decision, of: l.Ref.Site}
	q.licensed(l.Ref.Site)
	_, err := catalog.CanonicalURI(item.URL())
	return err == nil && q.price != (policy.Money{}) && q.unlocked() && q.refused() == policy.Permitted && item.Whole(rules)
}

// sellsWhole says whether the terms let an item be sold with all that is delivered of what stands within it; see released.Corpus.SellsWhole.
func (d *Desk) sellsWhole(ctx context.Context, rules *policy.Terms, entry *catalog.Entry) (bool, error) {
	if !entry.Mixed {
		return true, nil
	}
	return d.corpus.SellsWhole(ctx, rules, entry.Ref)
}
