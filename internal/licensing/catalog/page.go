package catalog

import (
	"bytes"
	"encoding/binary"
	"strings"
)

// Filter selects entries. An empty field is no condition.
type Filter struct {
	Site  string
	Words string // all of which the title or the address must have in it, however they are written
	// Before is where to go on, as Page gave it; 0 for the beginning.
	Before int
	Limit  int // how many at most; at least 1
}

// looked is how many entries are looked at for one page.
const looked = 100_000

// Page gives entries, those that came last first, as long as nothing is removed. It looks at a
// bounded number of them, so that it never takes long: next is where to go on, 0 when there are no
// more.
func (c *Catalog) Page(s Filter) (found []Entry, next int) {
	words := strings.Fields(strings.ToLower(s.Words))
	site := []byte(s.Site)
	at := -1
	for n := 0; n < looked && len(found) < s.Limit; n += entriesAtOnce {
		c.mu.RLock()
		if at < 0 {
			if at = len(c.t.rows); s.Before > 0 {
				at = min(at, s.Before)
			}
		}
		at = min(at, len(c.t.rows))
		for range min(at, entriesAtOnce) {
			at--
			if row := c.t.rows[at]; row.at != 0 && c.t.sought(c.t.record(row.at), site, words) {
				if found = append(found, c.entry(row, c.t.record(row.at))); len(found) == s.Limit {
					break
				}
			}
		}
		c.mu.RUnlock()
		if at == 0 {
			break
		}
	}
	return found, at
}

// sought says whether a record is of a site and has some words, in lower case, in its title or
// address. It reads no more of the record than that takes.
func (t *table) sought(r record, site []byte, words []string) bool {
	if len(site) == 0 && len(words) == 0 {
		return true
	}
	in := peek(r)
	address := in.text()
	if in.number() == urlOwn {
		in.text()
	}
	place := t.words.texts[in.number()]
	if len(site) > 0 {
		if of, _, _ := strings.Cut(place, "\n"); of != string(site) {
			return false
		}
	}
	if len(words) == 0 {
		return true
	}
	for range 6 { // since, types, language, publisher, media, own
		in.number()
	}
	in.skipTime() // published
	in.skipTime() // modified
	in.number()   // mutability
	in.number()   // words
	in.cut(32)    // hash
	title := strings.ToLower(string(in.text()))
	for _, word := range words {
		if !strings.Contains(title, word) && !bytes.Contains(bytes.ToLower(address), []byte(word)) {
			return false
		}
	}
	return true
}

// peek reads a record without copying it.
type peek []byte

func (p *peek) number() uint64 {
	n, size := binary.Uvarint(*p)
	*p = (*p)[size:]
	return n
}

func (p *peek) skipTime() {
	_, size := binary.Varint(*p)
	*p = (*p)[size:]
}

func (p *peek) cut(n int) []byte {
	cut := (*p)[:n]
	*p = (*p)[n:]
	return cut
}

func (p *peek) text() []byte { return p.cut(int(p.number())) }
