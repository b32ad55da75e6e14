package deliverylog

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"frontdesk/wire/edge"
	"frontdesk/wire/strictjson"
)

// A segment is a file of records. A record is the length of its payload and a CRC-32C of length and
// payload, each of 4 bytes in big endian, and the payload: one byte that says what it is, and JSON.
//
//	h  the head: the id of the batch that the segment becomes, and when it was begun
//	b  a delivery begins
//	c  a delivery that began in a segment before is still open
//	m  of a delivery of unknown length more may leave
//	e  a delivery ends
//	p  a delivery that is told as a whole
//	s  sightings
const (
	kindHead   = 'h'
	kindBegin  = 'b'
	kindCarry  = 'c'
	kindMore   = 'm'
	kindEnd    = 'e'
	kindWhole  = 'p'
	kindSeen   = 's'
	framing    = 8
	maxPayload = 1 << 20
	endSize    = 512 // as much as the record of an end and the carrying of a delivery add to its record, at the most
)

// The bounds of a segment, beyond which it is sealed. What is carried into it counts for neither.
const (
	maxRecords = 1000
	maxSegment = 1 << 20
)

var kinds = []byte{kindHead, kindBegin, kindCarry, kindMore, kindEnd, kindWhole, kindSeen}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// segment is one file.
type segment struct {
	name      string
	file      file // nil once it is sealed and synced
	begun     time.Time
	size      int64
	fresh     int       // records that will be told
	weight    int64     // of those, in bytes
	sightings int       // rows in them
	later     time.Time // before which it is not told again
	tries     int       // that failed
}

// segments are the files of a log.
type segments struct {
	active *segment   // that is written to
	sealed []*segment // waiting to be told, the oldest first
	number int        // of the newest
	kept   int64      // bytes of the sealed ones
}

// next names a new segment, also past one that could neither be written nor removed.
func (s *segments) next() string {
	s.number++
	return fmt.Sprintf("%016d", s.number) + suffix
}

// numberOf is the number of a segment.
func numberOf(name string) (n int) {
	_, _ = fmt.Sscanf(name, "%d", &n)
	return n
}

// activate has a segment written to, and seals the one before.
func (s *segments) activate(g *segment) {
	if s.active != nil {
		s.seal(s.active)
	}
	s.active = g
}

func (s *segments) seal(g *segment) { s.sealed, s.kept = append(s.sealed, g), s.kept+g.size }

// remove forgets a sealed segment.
func (s *segments) remove(g *segment) {
	s.sealed = slices.DeleteFunc(s.sealed, func(one *segment) bool { return one == g })
	s.kept -= g.size
}

func (s *segments) bytes() int64 { return s.kept + s.active.size }

// waiting is how many records are not taken yet.
func (s *segments) waiting() int {
	n := s.active.fresh
	for _, g := range s.sealed {
		n += g.fresh
	}
	return n
}

func (s *segments) oldest() *segment {
	if len(s.sealed) > 0 {
		return s.sealed[0]
	}
	return s.active
}

// unsynced are the sealed segments of which the disk may not have all.
func (s *segments) unsynced() (all []*segment) {
	for _, g := range s.sealed {
		if g.file != nil {
			all = append(all, g)
		}
	}
	return all
}

// head is the first record of a segment.
type head struct {
	ID    string    `json:"id"`
	Begun time.Time `json:"begun"`
}

// end is what the record of an end holds, and with Bytes alone that of more.
type end struct {
	ID     string     `json:"id"`
	State  edge.State `json:"state,omitempty"`
	Status int        `json:"status,omitzero"`
	Bytes  int64      `json:"bytes"`
	SHA256 string     `json:"sha256,omitempty"`
	Ended  time.Time  `json:"ended,omitzero"`
}

// record frames a payload.
func record(kind byte, v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return framedAs(kind, len(text), func(out []byte) []byte { return append(out, text...) }), nil
}

// framedAs frames a payload of about a size, which write appends.
func framedAs(kind byte, size int, write func([]byte) []byte) []byte {
	out := write(append(make([]byte, framing, framing+1+size), kind))
	seal(out)
	return out
}

// seal fills in the frame of a record.
func seal(out []byte) {
	binary.BigEndian.PutUint32(out, uint32(len(out)-framing))
	binary.BigEndian.PutUint32(out[4:], check(out))
}

// check is the checksum of a framed record.
func check(framed []byte) uint32 {
	return crc32.Update(crc32.Checksum(framed[:4], castagnoli), castagnoli, framed[framing:])
}

func begun(d edge.Delivery) []byte                  { return delivery(kindBegin, d) }
func carried(d edge.Delivery) []byte                { return delivery(kindCarry, d) }
func whole(d edge.Delivery) []byte                  { return delivery(kindWhole, d) }
func sightings(all []edge.Sighting) ([]byte, error) { return record(kindSeen, all) }
func more(id string, most int64) []byte             { return ending(kindMore, end{ID: id, Bytes: most}) }
func finished(d edge.Delivery) []byte {
	return ending(kindEnd, end{ID: d.ID, State: d.State, Status: d.Status, Bytes: d.Bytes, SHA256: d.SHA256,
		Ended: d.Ended})
}

// delivery is the record of a delivery that has been checked. It is written by hand, as ending is,
// since each delivery waits for it.
func delivery(kind byte, d edge.Delivery) []byte {
	return framedAs(kind, 256+len(d.URI)+len(d.Agent)+len(d.Transaction), func(out []byte) []byte {
		out = appendText(append(out, '{'), "id", d.ID)
		out = appendText(out, "transaction", d.Transaction)
		out = appendText(out, "agent", d.Agent)
		out = appendText(out, "uri", d.URI)
		out = appendText(out, "form", d.Form)
		out = appendText(out, "state", string(d.State))
		out = appendNumber(out, "status", int64(d.Status))
		out = appendNumber(out, "announced", d.Announced)
		out = appendNumber(out, "bytes", d.Bytes)
		if d.AtMost {
			out = append(out, `,"at_most":true`...)
		}
		out = appendText(out, "sha256", d.SHA256)
		out = appendTime(out, "at", d.At)
		return append(appendTime(out, "ended", d.Ended), '}')
	})
}

// ending is the record of an end.
func ending(kind byte, e end) []byte {
	return framedAs(kind, 240, func(out []byte) []byte {
		out = appendText(append(out, '{'), "id", e.ID)
		out = appendText(out, "state", string(e.State))
		out = appendNumber(out, "status", int64(e.Status))
		out = appendNumber(out, "bytes", e.Bytes)
		out = appendText(out, "sha256", e.SHA256)
		return append(appendTime(out, "ended", e.Ended), '}')
	})
}

// appendName appends the name of a member of JSON.
func appendName(out []byte, name string) []byte {
	if out[len(out)-1] != '{' {
		out = append(out, ',')
	}
	return append(append(append(out, '"'), name...), '"', ':')
}

// appendText appends a text of printable ASCII, unless it is empty.
func appendText(out []byte, name, text string) []byte {
	if text == "" {
		return out
	}
	out = append(appendName(out, name), '"')
	for _, c := range []byte(text) {
		if c == '"' || c == '\\' {
			out = append(out, '\\')
		}
		out = append(out, c)
	}
	return append(out, '"')
}

// appendNumber appends a number, unless it is 0.
func appendNumber(out []byte, name string, n int64) []byte {
	if n == 0 {
		return out
	}
	return strconv.AppendInt(appendName(out, name), n, 10)
}

// appendTime appends a time, unless it is zero.
func appendTime(out []byte, name string, t time.Time) []byte {
	if t.IsZero() {
		return out
	}
	return append(t.AppendFormat(append(appendName(out, name), '"'), time.RFC3339Nano), '"')
}

// records calls fn for each record of a text, and gives how many bytes belong to none.
func records(text []byte, fn func(kind byte, payload []byte)) (lost int) {
	for len(text) > 0 {
		if size := framed(text); size > 0 {
			fn(text[framing], text[framing+1:size])
			text = text[size:]
			continue
		}
		lost, text = lost+1, text[1:]
	}
	return lost
}

// framed is the size of the record that a text begins with, 0 for none.
func framed(text []byte) int {
	if len(text) <= framing {
		return 0
	}
	n := int64(binary.BigEndian.Uint32(text))
	if n < 1 || n > maxPayload || n > int64(len(text)-framing) || bytes.IndexByte(kinds, text[framing]) < 0 {
		return 0
	}
	size := framing + int(n)
	if binary.BigEndian.Uint32(text[4:]) != check(text[:size]) {
		return 0
	}
	return size
}

// content is what a segment says.
type content struct {
	head  head
	lost  int                      // bytes that are no record
	order []string                 // the ids of what is told, as they first come
	told  map[string]edge.Delivery // what the segment tells
	open  map[string]edge.Delivery // what has begun by its end and not ended
	seen  map[seenIn]int64         // sightings
	fresh int                      // records that are told
}

// seenIn is what sightings are counted by, with their hour.
type seenIn struct {
	hour time.Time
	seen
}

// read reads the text of a segment.
func read(text []byte) *content {
	c := &content{told: map[string]edge.Delivery{}, open: map[string]edge.Delivery{}, seen: map[seenIn]int64{}}
	c.lost = records(text, func(kind byte, payload []byte) {
		if c.take(kind, payload) != nil {
			c.lost += len(payload)
		}
	})
	if c.head.ID == "" { // it was lost with what is told: the same each time, all the same
		c.head.ID = "bat-" + edge.Digest(text)[:40]
	}
	return c
}

// take takes one record.
func (c *content) take(kind byte, payload []byte) error {
	var d edge.Delivery
	var e end
	var err error
	switch kind {
	case kindHead:
		return strictjson.Decode(payload, &c.head)
	case kindBegin, kindCarry, kindWhole:
		if err = errors.Join(strictjson.Decode(payload, &d), d.Check()); err != nil {
			return err
		}
		if kind == kindWhole {
			c.tell(d)
			break
		}
		c.open[d.ID] = d
		if kind == kindBegin {
			c.tell(d)
		}
	case kindMore, kindEnd:
		if err = strictjson.Decode(payload, &e); err != nil {
			return err
		}
		err = c.turn(kind, e)
	case kindSeen:
		var all []edge.Sighting
		if err = strictjson.Decode(payload, &all); err != nil {
			return err
		}
		for _, s := range all {
			if err = errors.Join(err, s.Check()); err == nil {
				key := seenIn{s.Hour.UTC(), seen{s.Host, s.Agent, s.Path, s.Outcome}}
				c.seen[key] = min(c.seen[key]+s.Count, edge.MaxCount)
			}
		}
		c.fresh++
	}
	return err
}

// turn takes what follows a beginning.
func (c *content) turn(kind byte, e end) error {
	d, ok := c.open[e.ID]
	if !ok {
		return nil // its beginning was lost with the power, before a byte left that the disk was waited for
	}
	d.Bytes = e.Bytes
	if kind == kindEnd {
		d.State, d.Status, d.SHA256, d.Ended = e.State, e.Status, e.SHA256, e.Ended
	}
	if err := d.Check(); err != nil {
		return err
	}
	c.open[e.ID] = d
	if kind == kindEnd {
		delete(c.open, e.ID)
	}
	if _, told := c.told[e.ID]; told || kind == kindEnd {
		c.tell(d)
	}
	return nil
}

// tell has a delivery told as it stands.
func (c *content) tell(d edge.Delivery) {
	if old, ok := c.told[d.ID]; !ok {
		c.order = append(c.order, d.ID)
		c.fresh++
	} else if old.State != edge.Begun {
		return // an end is told once
	}
	c.told[d.ID] = d
}

// segmentOf is the text of a segment that becomes a batch.
func segmentOf(b edge.Batch, begun time.Time) ([]byte, error) {
	text, err := record(kindHead, head{ID: b.ID, Begun: begun})
	for _, d := range b.Deliveries {
		text = append(text, whole(d)...)
	}
	if err == nil && len(b.Sightings) > 0 {
		var seen []byte
		seen, err = sightings(b.Sightings)
		text = append(text, seen...)
	}
	return text, err
}

// batch is what the segment becomes: the same each time.
func (c *content) batch() edge.Batch {
	b := edge.Batch{Version: edge.Version, ID: c.head.ID}
	for _, id := range c.order {
		b.Deliveries = append(b.Deliveries, c.told[id])
	}
	for key, count := range c.seen {
		b.Sightings = append(b.Sightings, key.sighting(key.hour, count))
	}
	slices.SortFunc(b.Sightings, func(x, y edge.Sighting) int {
		return cmp.Or(x.Hour.Compare(y.Hour), strings.Compare(x.Host, y.Host), strings.Compare(x.Agent, y.Agent),
			strings.Compare(x.Path, y.Path), strings.Compare(x.Outcome, y.Outcome))
	})
	return b
}

func byID(a, b edge.Delivery) int { return strings.Compare(a.ID, b.ID) }

// alphabet is that of ULIDs.
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"

// newID makes an id that sorts by time: a kind and a ULID.
func newID(kind string, at time.Time) string {
	var raw [16]byte
	rand.Read(raw[6:])
	binary.BigEndian.PutUint16(raw[:], uint16(at.UnixMilli()>>32))
	binary.BigEndian.PutUint32(raw[2:], uint32(at.UnixMilli()))
	out := make([]byte, 26)
	high, low := binary.BigEndian.Uint64(raw[:8]), binary.BigEndian.Uint64(raw[8:])
	for n := 25; n >= 0; n-- {
		out[n] = alphabet[low&31]
		low, high = low>>5|high<<59, high>>5
	}
	return kind + "-" + string(out)
}
