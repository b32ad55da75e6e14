package released

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"frontdesk/internal/content"
	"frontdesk/internal/content/index"
	"frontdesk/internal/policy"
)

// ItemVersion is one version of an item, for delivering it whole to a buyer, or to anybody where it
// is open. Facts, CoversNested and MediaTypes say what the terms allow; Render alone gives the
// text. It never changes.
type ItemVersion struct {
	ref  content.Ref
	item *content.Item
}

// LoadVersion loads a version of an item; nil where it was swept from the store.
func (c *Corpus) LoadVersion(ctx context.Context, ref content.Ref) (*ItemVersion, error) {
	items, err := c.options.Catalog.LoadItems(ctx, ref)
	if err != nil || items[0].URL == "" {
		return nil, err
	}
	return &ItemVersion{ref: ref, item: &items[0]}, nil
}

// URL is the item's address.
func (k *ItemVersion) URL() string { return k.item.URL }

// Object is the item's schema.org object. It must not be changed.
func (k *ItemVersion) Object() []byte { return k.item.Object }

// Facts are what the terms match on.
func (k *ItemVersion) Facts() policy.Facts { return FactsOf(k.listing()) }

func (k *ItemVersion) listing() *index.Doc {
	return &index.Doc{Ref: k.ref, URL: k.item.URL, Types: k.item.Types,
		Own: policy.Markup(k.item.Types, k.item.Object, content.IsA)}
}

// MediaTypes are the media types in which the terms let the item be delivered whole, the default
// one first; none where they do not let it be delivered whole.
func (k *ItemVersion) MediaTypes(rules *policy.Terms) (all []string) {
	if !k.CoversNested(rules) {
		return nil
	}
	for _, form := range forms(k.item) {
		if k.coversNestedIn(rules, form) {
			all = append(all, form)
		}
	}
	return all
}

// Render gives the item in one of its forms. The same version of an item is always the same bytes.
func (k *ItemVersion) Render(form string) []byte { return render(k.item, form) }

// RenderDefault returns the item in its default media type.
func (k *ItemVersion) RenderDefault() (media string, body []byte) { return RenderDefault(k.item) }

// Hashes are the SHA-256, in hexadecimal, of the item in each media type in which it can be
// delivered.
func (k *ItemVersion) Hashes() (all []string) {
	for _, form := range forms(k.item) {
		sum := sha256.Sum256(k.Render(form))
		all = append(all, hex.EncodeToString(sum[:]))
	}
	return all
}
