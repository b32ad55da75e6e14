package content

import (
	"crypto/sha256"
	"encoding/base32"
	"encoding/binary"
	"hash"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

var base32Lower = base32.NewEncoding("abcdefghijklmnopqrstuvwxyz234567").WithPadding(base32.NoPadding)

// key is an item's identity; ItemID writes it out.
type key [16]byte

// ItemID identifies the item at url in a source of a site, over all its versions, by 26 letters and
// digits.
func ItemID(site, source, url string) string { return itemKey(site, source, url).String() }

func itemKey(site, source, url string) key {
	d := newDigest()
	d.text(site)
	d.text(source)
	d.text(url)
	return d.sum()
}

func (k key) String() string { return base32Lower.EncodeToString(k[:]) }

func parseKey(id []byte) (k key, ok bool) {
	if len(id) != base32Lower.EncodedLen(len(k)) {
		return k, false
	}
	_, err := base32Lower.Decode(k[:], id)
	return k, err == nil
}

// PassageID is the identity of a passage within its item. It depends on the text alone, and on how
// many equal texts came before it in the item, so that it stays when other parts of the item
// change.
func PassageID(text string, seen int) string {
	sum := sha256.Sum256([]byte(text))
	id := base32Lower.EncodeToString(sum[:10])
	if seen > 0 {
		id += "-" + strconv.Itoa(seen+1)
	}
	return id
}

// hashItem is the digest by which a change is found: of everything in the item but its Origin.
func hashItem(item *Item) [16]byte {
	d := newDigest()
	d.text(item.URL)
	d.number(int64(len(item.Types)))
	for _, t := range item.Types {
		d.text(t)
	}
	for _, s := range []string{item.Name, item.Description, item.Keys, item.Language, item.Image, item.Publisher} {
		d.text(s)
	}
	d.time(item.Published)
	d.time(item.Modified)
	d.text(string(item.Object))
	for i := range item.Passages {
		d.text(item.Passages[i].ID)
		d.text(item.Passages[i].Text)
	}
	return d.sum()
}

// digest hashes a sequence of fields, each with its length before it, so that no two sequences look
// alike.
type digest struct {
	hash.Hash
	scratch [sha256.Size]byte
}

func newDigest() *digest { return &digest{Hash: sha256.New()} }

func (d *digest) text(s string) {
	d.number(int64(len(s)))
	io.WriteString(d, s)
}

func (d *digest) number(n int64) { d.Write(binary.LittleEndian.AppendUint64(d.scratch[:0], uint64(n))) }

func (d *digest) time(t time.Time) {
	if t.IsZero() {
		d.number(0)
		return
	}
	d.number(t.UnixMicro())
}

func (d *digest) sum() [16]byte { return [16]byte(d.Sum(d.scratch[:0])) }

// clean replaces what no database keeps as text: bytes that are not UTF-8, and NUL.
func clean(s string) string {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return s
}

// PackedID is an item's id in binary form.
type PackedID [16]byte

// PackID packs an item's id, as Ref.ID has it; ok is false for any other text.
func PackID(id string) (packed PackedID, ok bool) {
	k, ok := parseKey([]byte(id))
	return PackedID(k), ok
}

// String is the identity as Ref.ID has it.
func (p PackedID) String() string { return key(p).String() }
