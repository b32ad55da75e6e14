package exchange

import (
	"context"

	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/policy"
)

// OpenItem is an item that the terms open to everyone.
type OpenItem struct {
	URI   string
	Media []string // types in which it can be had

	item *released.ItemVersion
}

// OpenItemAt returns the item at an address if the terms open it to everyone as a whole. The error
// is fail.NotFound otherwise.
func (a *Assortment) OpenItemAt(ctx context.Context, address string) (*OpenItem, error) {
	rules, closed := a.deps.Corpus.TermsFor(ctx), false
	for _, entry := range a.deps.Catalog.Find(address) {
		if !a.serves(entry.Site) || entry.IsPushed() {
			continue
		}
		if rules.Decide(entry.Facts()).Access != policy.Open {
			closed = closed || rules.Decide(entry.Facts()).Access == policy.Licensed
			continue
		}
		found, err := a.deps.Corpus.LoadVersion(ctx, entry.Ref)
		if err != nil {
			return nil, err
		}
		if found == nil {
			continue
		}
		if media := found.MediaTypes(rules); media != nil {
			return &OpenItem{URI: found.URL(), Media: media, item: found}, nil
		}
	}
	if closed {
		return nil, fail.New(fail.Forbidden, "this content opens to a licence alone")
	}
	return nil, fail.New(fail.NotFound, "there is nothing at this address")
}

// In returns the item in one of the media types of Media.
func (s *OpenItem) In(media string) []byte { return s.item.Render(media) }
