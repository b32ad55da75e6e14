package content

import (
	"encoding/binary"
	"errors"
	"strings"

	"frontdesk/internal/store"
)

// itemColumns are the columns of content_item, in the order in which row gives them and fields takes them.
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

// scanned is a row of content_item on its way back to an Item.
type scanned struct {
	item                Item
	types               string
	published, modified int64
	passages            []byte
}

// fields are where to scan the columns after n, without the object.
func (s *scanned) fields() []any {
	return []any{
		&s.item.URL, &s.types, &s.item.Name, &s.item.Description, &s.item.Keys, &s.item.Language, &s.item.Image,
		&s.item.Publisher, &s.published, &s.modified, &s.item.Origin, &s.passages,
	}
}

// take gives the item that was scanned and makes room for the next.
func (s *scanned) take() (Item, error) {
	item := s.item
	item.Types = strings.Split(s.types, "\n")
	item.Published = store.FromMicros(s.published)
	item.Modified = store.FromMicros(s.modified)
	var err error
	item.Passages, err = unpackPassages(s.passages)
	s.item = Item{}
	return item, err
}

// packPassages writes passages as one value: for each its ID and its text, each after its length (a varint). One
// value per item instead of one row per passage makes ingesting and reading several times as fast.
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
func unpackPassages(packed []byte) ([]Passage, error) {
	if len(packed) == 0 {
		return nil, nil
	}
	var passages []Passage
	for rest := string(packed); rest != ""; {
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
