package content

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"errors"
	"strings"

	"frontdesk/internal/infra/store"
)

// itemColumns are the columns of content_item, in the order in which row gives them.
var itemColumns = []string{
	"n", "url", "types", "name", "description", "keys", "language", "image", "publisher", "published", "modified",
	"origin", "passages", "object",
}

// row is the item as a row of content_item.
func row(n int64, item *Item) []any {
	object := item.Object
	if object == nil {
		object = []byte{}
	}
	return []any{
		n, item.URL, strings.Join(item.Types, "\n"), item.Name, item.Description, item.Keys, item.Language, item.Image,
		item.Publisher, store.Micros(item.Published), store.Micros(item.Modified), item.Origin,
		packPassages(item.Passages), object,
	}
}

// itemReader takes items out of rows of content_version and content_item together.
type itemReader struct {
	n    int64
	ref  Ref
	item Item

	types               string
	published, modified int64
	passages, object    sql.RawBytes
	targets             []any
}

// newItemReader reads the columns n, id and since, entryColumns and the object.
func newItemReader(key SourceKey) *itemReader {
	r := &itemReader{ref: Ref{Site: key.Site, Source: key.Source}}
	i := &r.item
	r.targets = []any{
		&r.n, &r.ref.ID, &r.ref.Since, &i.URL, &r.types, &i.Name, &i.Description, &i.Keys, &i.Language, &i.Image,
		&i.Publisher,
		&r.published, &r.modified, &i.Origin, &r.passages, &r.object,
	}
	return r
}

// all calls fn for each of the rows, closes them and counts them.
func (r *itemReader) all(rows store.Rows, fn func(*itemReader) error) (n int, err error) {
	defer rows.Close()
	for rows.Next() {
		r.item = Item{}
		if err := rows.Scan(r.targets...); err != nil {
			return n, err
		}
		if r.types != "" {
			r.item.Types = strings.Split(r.types, "\n")
		}
		r.item.Published = store.FromMicros(r.published)
		r.item.Modified = store.FromMicros(r.modified)
		r.item.Object = bytes.Clone(r.object)
		if r.item.Passages, err = unpackPassages(string(r.passages)); err != nil {
			return n, err
		}
		if err := fn(r); err != nil {
			return n, err
		}
		n++
	}
	return n, rows.Err()
}

// packPassages writes passages as one value: for each its ID and its text, each after its length (a
// varint). One value per item instead of one row per passage halves the time of ingesting and of
// reading on SQLite.
func packPassages(passages []Passage) []byte {
	size := 0
	for i := range passages {
		size += len(passages[i].ID) + len(passages[i].Text) + 2*binary.MaxVarintLen32
	}
	packed := make([]byte, 0, size)
	for i := range passages {
		packed = appendText(packed, passages[i].ID)
		packed = appendText(packed, passages[i].Text)
	}
	return packed
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

var errPacked = errors.New("the passages of an item are damaged in the database")

// unpackPassages reads what packPassages wrote. All texts share one piece of memory.
func unpackPassages(packed string) ([]Passage, error) {
	var passages []Passage
	for rest := packed; rest != ""; {
		var p Passage
		var ok bool
		if p.ID, rest, ok = cutText(rest); !ok {
			return nil, errPacked
		}
		if p.Text, rest, ok = cutText(rest); !ok {
			return nil, errPacked
		}
		passages = append(passages, p)
	}
	return passages, nil
}

func cutText(s string) (text, rest string, ok bool) {
	length, size := uvarint(s)
	if size <= 0 || length > uint64(len(s)-size) {
		return "", "", false
	}
	end := size + int(length)
	return s[size:end], s[end:], true
}

// uvarint is binary.Uvarint for a string.
func uvarint(s string) (uint64, int) {
	var head [binary.MaxVarintLen64]byte
	return binary.Uvarint(head[:copy(head[:], s)])
}
