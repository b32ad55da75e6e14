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

// ItemID is the identity of the item at url in a source of a site, over all its versions: 26 letters and digits.
func ItemID(site, source, url string) string {
	d := newDigest()
	d.text(site)
	d.text(source)
	d.text(url)
	return base32Lower.EncodeToString(d.sum()[:16])
}

// PassageID is the identity of a passage within its item. It depends on the text alone, and on how many equal texts
// came before it in the item, so that it stays when other parts of the item change.
func PassageID(text string, seen int) string {
	sum := sha256.Sum256([]byte(text))
	id := base32Lower.EncodeToString(sum[:10])
	if seen > 0 {
		id += "-" + strconv.Itoa(seen+1)
	}
	return id
}

// hashItem is the digest by which a change is found: of everything in the item but its Origin.
func hashItem(item *Item) []byte {
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
	return d.sum()[:16]
}

// digest hashes a sequence of fields, each with its length before it, so that no two sequences look alike.
type digest struct {
	hash.Hash
	scratch [8]byte
}

func newDigest() *digest { return &digest{Hash: sha256.New()} }

func (d *digest) text(s string) {
	d.number(int64(len(s)))
	io.WriteString(d, s)
}

func (d *digest) number(n int64) {
	binary.LittleEndian.PutUint64(d.scratch[:], uint64(n))
	d.Write(d.scratch[:])
}

func (d *digest) time(t time.Time) {
	if t.IsZero() {
		d.number(0)
		return
	}
	d.number(t.UnixMicro())
}

func (d *digest) sum() []byte { return d.Sum(nil) }

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
