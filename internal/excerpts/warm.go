package desk

import (
	"context"
	"slices"

	"frontdesk/internal/content/index"
	"frontdesk/internal/content/released"
)

// warmAtOnce is how many articles are loaded at once when nobody waits for them.
const warmAtOnce = 64

// warm loads the articles that passages may be given of before anybody asks for them, the newest first and as many as are kept, whenever
// there is another view. With SQLite every commit empties what readers keep of the file, so that to load the articles of an answer costs
// nearly as much as to search for it.
func (d *Desk) warm(ctx context.Context, g *released.View) error {
	if d.excerpting == nil {
		return nil
	}
	before := d.warmed.Swap(g)
	if before == g {
		return nil
	}
	if before != nil && before.Terms != g.Terms {
		d.articleCache.InvalidateAll() // nobody will ask for those of the terms before
	}
	owner := d.excerpting.Owner()
	var giving []index.Hit
	g.Index.Select(func(l *index.Listing) bool {
		if slices.ContainsFunc(owner.Domains, func(label string) bool { _, ok := d.gives(g.Terms, owner, l, label, ""); return ok }) {
			giving = append(giving, index.Hit{Listing: l})
		}
		return false
	})
	slices.SortFunc(giving, newestFirst)
	for some := range slices.Chunk(giving, warmAtOnce) {
		if d.articleCache.WeightedSize() >= d.config.CacheBytes-d.config.CacheBytes/32 {
			return nil
		}
		if _, err := d.articles(ctx, g, some); err != nil {
			d.config.Log.Warn("articles cannot be loaded before they are asked for", "error", err)
			return nil
		}
	}
	return nil
}
