package catalog

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/released"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
)

// record is an entry in few bytes: the address first, by which it is found. What many entries share
// are numbers of an [intern]. The rest are numbers (varints) and texts after their lengths.
type record []byte

// How the item's URL is made of the canonical address.
const (
	urlSecure = 0 // with "https://" before it
	urlPlain  = 1 // with "http://" before it
	urlOwn    = 2 // it is written out, after the address
)

// The bounds of what a record keeps, in bytes and numbers.
const (
	maxTitle   = 512
	maxAuthors = 16
	maxAuthor  = 128
	maxCodes   = 16
)

// address is the canonical address.
func (r record) address() []byte {
	n, size := binary.Uvarint(r)
	return r[size : size+int(n)]
}

// host is the host of the address.
func (r record) host() []byte {
	address := r.address()
	return address[:bytes.IndexByte(address, '/')]
}

// reading is what a record is made of: all that takes time to find out of an item.
type reading struct {
	entry      *content.Entry
	canonical  string
	body       Body
	words      int
	read       markup
	own        *policy.Own
	mutability Mutability
}

// readEntry reads an item, and where similar is asked for, makes its simhash-v1; ok is false for
// one that has no address, which nobody can ask for.
func readEntry(e *content.Entry, similar bool) (r reading, ok bool) {
	canonical, err := CanonicalURI(e.URL)
	if err != nil {
		return r, false
	}
	r = reading{entry: e, canonical: canonical, own: policy.Markup(e.Types, e.Object, content.IsA)}
	r.body, r.words = deliveredOf(&e.Item, similar)
	r.read = readMarkup(e.Object, r.body.Media == released.PlainText)
	r.mutability = usualMutability(e.Types, r.read.live)
	return r, true
}

// record writes what was read.
func (r *reading) record(words *intern) record {
	e, canonical := r.entry, r.canonical
	w := writer{b: make([]byte, 0, 256)}
	w.text(canonical)
	switch e.URL {
	case "https://" + canonical:
		w.number(urlSecure)
	case "http://" + canonical:
		w.number(urlPlain)
	default:
		w.number(urlOwn)
		w.text(e.URL)
	}
	w.number(words.number(e.Site + "\n" + e.Source))
	w.number(uint64(e.Since))
	w.number(words.number(strings.Join(e.Types, "\n")))
	w.number(words.number(e.Language))
	w.number(words.number(clip(e.Publisher, maxTitle)))
	w.number(words.number(r.body.Media))
	w.number(words.own(r.own))
	w.time(e.Published)
	w.time(e.Modified)
	w.number(words.number(string(r.mutability)))
	w.number(uint64(r.words))
	w.b = append(w.b, r.body.Hash[:]...)
	w.text(clip(e.Name, maxTitle))
	w.text(strings.Join(r.read.authors, "\n"))
	r.read.write(&w)
	if r.body.Similar {
		w.b = append(w.b, partSimilarity)
		w.text(string(binary.BigEndian.AppendUint64(nil, r.body.Similarity)))
	}
	return w.b
}

// entry reads a record.
func (t *table) entry(id content.PackedID, r record) (e Entry) {
	in := reader{b: string(r)}
	address := in.text()
	switch in.number() {
	case urlSecure:
		e.URL = URIOf(address)
	case urlPlain:
		e.URL = "http://" + address
	default:
		e.URL = in.text()
	}
	e.Address = e.URL
	e.ID = id.String()
	e.Site, e.Source, _ = strings.Cut(t.words.texts[in.number()], "\n")
	e.Since = int64(in.number())
	e.Types = t.words.lists[in.number()]
	e.Language = t.words.texts[in.number()]
	e.Publisher = t.words.texts[in.number()]
	e.Media = t.words.texts[in.number()]
	e.Own = t.words.owns[in.number()]
	e.Published, e.Modified = in.time(), in.time()
	e.Mutability = Mutability(t.words.texts[in.number()])
	e.Words = int(in.number())
	copy(e.Hash[:], in.cut(len(e.Hash)))
	e.Title = in.text()
	if authors := in.text(); authors != "" {
		e.Authors = strings.Split(authors, "\n")
	}
	e.read(&in)
	return e
}

// writer and reader write and read the parts of a record.
type writer struct{ b []byte }

func (w *writer) number(n uint64) { w.b = binary.AppendUvarint(w.b, n) }

func (w *writer) text(s string) {
	w.number(uint64(len(s)))
	w.b = append(w.b, s...)
}

func (w *writer) time(at time.Time) { w.b = binary.AppendVarint(w.b, store.Micros(at)) }

// reader reads a record, which was written here or whose sum was checked, so that it is whole.
type reader struct{ b string }

func (r *reader) number() uint64 {
	var head [binary.MaxVarintLen64]byte
	n, size := binary.Uvarint(head[:copy(head[:], r.b)])
	r.b = r.b[size:]
	return n
}

func (r *reader) cut(n int) (text string) {
	text, r.b = r.b[:n], r.b[n:]
	return text
}

func (r *reader) text() string { return r.cut(int(r.number())) }

func (r *reader) time() time.Time {
	var head [binary.MaxVarintLen64]byte
	n, size := binary.Varint(head[:copy(head[:], r.b)])
	r.b = r.b[size:]
	return store.FromMicros(n)
}

// intern numbers texts that many records share. The number 0 is the empty text. Whoever reads holds
// a copy of it, which stays as it is while more texts are numbered in another: they come after all
// that the copy has.
type intern struct {
	numbers map[string]uint64 // for writing alone
	texts   []string
	lists   [][]string    // the lines of each
	owns    []*policy.Own // what those are JSON of that begin with ownMark
}

// ownMark tells the terms of items from other texts.
const ownMark = "\x00"

func newIntern() intern {
	return intern{numbers: map[string]uint64{"": 0}, texts: []string{""}, lists: [][]string{nil},
		owns: []*policy.Own{nil}}
}

func (i *intern) number(text string) uint64 {
	n, known := i.numbers[text]
	if !known {
		text = strings.Clone(text)
		n = uint64(len(i.texts))
		i.numbers[text] = n
		i.texts, i.lists = append(i.texts, text), append(i.lists, strings.Split(text, "\n"))
		var own *policy.Own
		if stated, ok := strings.CutPrefix(text, ownMark); ok && json.Unmarshal([]byte(stated), &own) != nil {
			// it was written here and can be read; if not, it permits nothing
			own = &policy.Own{Unfree: true, Stated: true}
		}
		i.owns = append(i.owns, own)
	}
	return n
}

// own numbers the terms that an item states of itself; 0 is none.
func (i *intern) own(own *policy.Own) uint64 {
	if own == nil {
		return 0
	}
	text, err := json.Marshal(own)
	if err != nil {
		panic("catalog: terms are plain data and always encode: " + err.Error())
	}
	return i.number(ownMark + string(text))
}

// clip shortens a text to at most n bytes, at the end of a character.
func clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	return strings.ToValidUTF8(text[:n], "")
}
