package document

import (
	"hash/maphash"
	"strconv"
	"strings"

	"frontdesk/internal/content"
	"frontdesk/internal/content/ingest/markup"
	"frontdesk/internal/content/ingest/pageurl"
)

// URLSet keeps the items of a source apart by their URLs. It is not safe for concurrent use.
type URLSet struct {
	seed maphash.Seed
	// the URLs that were given out, each with a digest of its item's name, 0 if that is not known
	known map[uint64]uint64
	taken map[string]string // made-up URLs, each with a digest of its object
}

// maxKnown bounds what is remembered of URLs; behind so many items, stubs are left out.
const maxKnown = 1 << 20

// NewURLSet returns an empty set.
func NewURLSet() *URLSet {
	return &URLSet{taken: map[string]string{}, known: map[uint64]uint64{}, seed: maphash.MakeSeed()}
}

// Admit decides on an item's URL; false drops the item, because another one says more under that
// URL. A foreign item is one that was found on another page than its own.
func (n *URLSet) Admit(d *Draft, foreign bool) bool {
	if d.Derived {
		n.part(d)
	}
	if d.claims && n.differs(d) {
		address, _, _ := strings.Cut(d.URL, "#")
		d.move(address + "#" + pageurl.Slug(d.Name)) // below which rules on its path still hold
	}
	if d.stub || foreign {
		if _, found := n.known[maphash.String(n.seed, d.URL)]; found || d.stub && len(n.known) >= maxKnown {
			return false
		}
	}
	if !d.stub {
		n.know(d.URL, markup.FoldLetters(d.Name))
	}
	return true
}

// MarkUsed notes that an item has a URL, of which no more is known.
func (n *URLSet) MarkUsed(address string) { n.know(address, "") }

// know notes a URL as given out to an item of a name, which is empty where it is not known.
func (n *URLSet) know(address, name string) {
	if len(n.known) < maxKnown {
		digest := uint64(0)
		if name != "" {
			digest = maphash.String(n.seed, name)
		}
		n.known[maphash.String(n.seed, address)] = digest
	}
}

// differs says whether the address that a page claims was given out to another page: some sites
// give all their pages the address of one.
func (n *URLSet) differs(d *Draft) bool {
	name := n.known[maphash.String(n.seed, d.URL)]
	return name != 0 && d.Name != "" && name != maphash.String(n.seed, markup.FoldLetters(d.Name))
}

// part keeps made-up URLs apart. Equal things keep one; others of the same name are numbered in
// their order.
func (n *URLSet) part(d *Draft) {
	made, sum := d.URL, content.PassageID(string(d.Object), 0)
	address := made
	for i := 2; ; i++ {
		known, taken := n.taken[address]
		if !taken {
			n.taken[address] = sum
		}
		if !taken || known == sum {
			break
		}
		address = made + "-" + strconv.Itoa(i)
	}
	if address != made {
		d.move(address)
	}
}
