// Package content keeps what a site offers: its items, cut into passages, and the sources that they
// came from, in tables of the database.
//
// Enter at New. A writer fills a source by a Run and publishes its new state at once with Commit; a
// reader sees the old state or the new one, whole, and follows changes by revision
// (Catalog.Changes). Everything is keyed by site. The package must not know how items are made
// (ingest), found (index) or let out (released); below it there is only the store.
package content

import "time"

// Item is one thing that a site offers, as package ingest read it: the object itself and the texts
// that the search and the terms need from it.
type Item struct {
	// URL is absolute and identifies the item within its source.
	URL string
	// Types are the schema.org types without prefix, the most telling first; never empty ("Thing"
	// as last resort).
	Types []string
	// Name is the item's name, headline or title; may be empty.
	Name string
	// Description is a short text of one or a few sentences: the item's own, or the first sentences
	// of its body.
	Description string
	// Keys are the words beside name and body by which the item may be found: keywords, category,
	// brand, author, place, ingredients, SKU, and the words of its URL; separated by blanks or
	// newlines.
	Keys string
	// Language is a BCP 47 tag in lower case ("en", "pt-br"), or empty when unknown.
	Language string
	// Image is the absolute URL of a picture, or empty.
	Image string
	// Publisher is the publisher's name, or empty.
	Publisher string
	// Published and Modified are zero when unknown.
	Published, Modified time.Time
	// Object is the item as one compact JSON object in schema.org terms, with absolute "url" and
	// "@type". Long body texts are left out of it: they are the Passages.
	Object []byte
	// Passages are the item's running text, in order, each of about 80 to 200 words; a short item
	// has one, and an item without any text none.
	Passages []Passage
	// Origin says where in the source the item was found ("recipes.jsonl:12"), for messages to the
	// owner.
	Origin string
}

// Passage is a piece of an item's text that is released and cited as a whole.
type Passage struct {
	// ID is unique within the item and depends on the passage's text alone, so that it stays when
	// other parts of the item change.
	ID   string
	Text string
}

// Ref names one version of one item. It is comparable.
type Ref struct {
	Site   string
	Source string
	ID     string // stable over versions: ItemID(site, source, url)
	Since  int64  // the revision of the source in which this version appeared
}

// Entry is a whole version of an item, as the change feed delivers it.
type Entry struct {
	Ref
	Item
}
