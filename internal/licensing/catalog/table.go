package catalog

import (
	"encoding/binary"
	"hash/maphash"
	"slices"

	"frontdesk/internal/content"
)

// table keeps entries in little memory: each is a record of some 150 bytes in a few large pieces of
// memory, found by the identity of its item and by its address. It is not safe for concurrent use.
//
// Both ways to find a row are open hash tables of row numbers. A row that was removed stays where
// it is, without a record, until the table is packed.
type table struct {
	seed      maphash.Seed
	rows      []row
	ids       slots
	addresses slots
	pages     [][]byte
	alive     int
	bytes     int // of all records
	waste     int // of those that nothing points at any more
	hosts     map[string]int
	patterns  map[string]*patterns // of pushed entries, by host
	words     intern
}

type row struct {
	id content.PackedID
	at uint64 // of the record: page and place in it, plus one; 0 for none
}

// pageBits is how large a piece of memory for records is. No record is larger: what is in it is
// bounded.
const pageBits = 20

func newTable() *table {
	return &table{seed: maphash.MakeSeed(), hosts: map[string]int{}, patterns: map[string]*patterns{},
		words: newIntern()}
}

// record is the record of a row that has one.
func (t *table) record(at uint64) record {
	page := t.pages[(at-1)>>pageBits][(at-1)&(1<<pageBits-1):]
	n, size := binary.Uvarint(page)
	return record(page[size : size+int(n)])
}

// keep puts a record into memory.
func (t *table) keep(r record) (at uint64) {
	var head [binary.MaxVarintLen32]byte
	length := binary.PutUvarint(head[:], uint64(len(r)))
	last := len(t.pages) - 1
	if last < 0 || len(t.pages[last])+length+len(r) > 1<<pageBits {
		t.pages = append(t.pages, make([]byte, 0, 1<<pageBits))
		last++
	}
	at = uint64(last)<<pageBits + uint64(len(t.pages[last])) + 1
	t.pages[last] = append(append(t.pages[last], head[:length]...), r...)
	t.bytes += length + len(r)
	return at
}

// put enters a record under an identity, in the place of the one that was there.
func (t *table) put(id content.PackedID, r record) {
	n, found := t.find(id)
	if found {
		t.drop(n)
	} else {
		n = uint32(len(t.rows))
		t.rows = append(t.rows, row{id: id})
	}
	t.rows[n].at = t.keep(r)
	t.alive++
	t.hosts[string(r.host())]++
	t.pattern(n, r, 1)
	if !found {
		t.ids.add(t.hashID(n), n, t.idOf)
		t.addresses.add(t.hashAddress(n), n, t.addressOf)
	}
}

// idOf and addressOf hash rows that are there still.
func (t *table) idOf(n uint32) (uint64, bool) { return t.hashID(n), t.rows[n].at != 0 }
func (t *table) addressOf(n uint32) (uint64, bool) {
	if t.rows[n].at == 0 {
		return 0, false
	}
	return t.hashAddress(n), true
}

// room makes room for so many more entries, which takes the longer the more there are: it only
// reads the table, and gives what puts the room in.
func (t *table) room(more int) (take func()) {
	rows, ids, addresses := t.rows, t.ids, t.addresses
	if cap(rows)-len(rows) < more {
		rows = slices.Grow(rows, max(more, len(rows)/4))
	}
	if ids.full(more) {
		ids = ids.larger(more, t.idOf)
	}
	if addresses.full(more) {
		addresses = addresses.larger(more, t.addressOf)
	}
	return func() { t.rows, t.ids, t.addresses = rows, ids, addresses }
}

func (t *table) hashID(n uint32) uint64 { return maphash.Bytes(t.seed, t.rows[n].id[:]) }
func (t *table) hashAddress(n uint32) uint64 {
	return maphash.Bytes(t.seed, t.record(t.rows[n].at).address())
}

// remove takes out what is under an identity, and says whether there was anything.
func (t *table) remove(id content.PackedID) bool {
	n, found := t.find(id)
	if found {
		t.drop(n)
	}
	return found
}

func (t *table) drop(n uint32) {
	r := t.record(t.rows[n].at)
	if host := string(r.host()); t.hosts[host] == 1 {
		delete(t.hosts, host)
	} else {
		t.hosts[host]--
	}
	t.pattern(n, r, -1)
	t.rows[n].at = 0
	t.waste += len(r) + 2
	t.alive--
}

func (t *table) find(id content.PackedID) (n uint32, found bool) {
	t.ids.each(maphash.Bytes(t.seed, id[:]), func(i uint32) bool {
		if t.rows[i].id == id && t.rows[i].at != 0 {
			n, found = i, true
		}
		return !found
	})
	return n, found
}

// at calls fn with the rows at an address, and their records.
func (t *table) at(address string, fn func(row, record)) {
	t.addresses.each(maphash.String(t.seed, address), func(n uint32) bool {
		if at := t.rows[n].at; at != 0 {
			if r := t.record(at); string(r.address()) == address {
				fn(t.rows[n], r)
			}
		}
		return true
	})
}

// wasteful says whether a good part of the memory is for nothing.
func (t *table) wasteful() bool {
	return t.waste > 1<<pageBits && 3*t.waste > t.bytes || len(t.rows) > 2*t.alive+1024
}

// packed is a table with the same entries and without waste.
func (t *table) packed() *table {
	fresh := newTable()
	fresh.words = t.words
	for _, row := range t.rows {
		if row.at != 0 {
			fresh.put(row.id, t.record(row.at))
		}
	}
	return fresh
}

// slots is an open hash table of row numbers, a power of two in size and at most three quarters
// full. A slot has the row number plus one in its lower half, and in its upper half that of the
// hash, so that hardly a row is looked at in vain. Nothing is taken out of it before it is made
// anew.
type slots struct {
	taken []uint64
	count int
}

// upper is the part of a hash that a slot keeps.
const upper = 1<<64 - 1<<32

// add enters a row, which has the hash h. When the table is full, a larger one is made of the rows
// that hash tells the hash of; ok is false for one that is to be left out.
func (s *slots) add(h uint64, n uint32, hash func(n uint32) (h uint64, ok bool)) {
	if s.full(1) {
		*s = s.larger(1, hash)
	}
	s.place(h, n)
}

// full says whether there is no room for so many more.
func (s *slots) full(more int) bool { return 4*(s.count+more) > 3*len(s.taken) }

// larger is a table with the same rows and room for so many more.
func (s *slots) larger(more int, hash func(n uint32) (h uint64, ok bool)) slots {
	size := max(1024, 2*len(s.taken))
	for 4*(s.count+more) > 3*size {
		size *= 2
	}
	fresh := slots{taken: make([]uint64, size)}
	for _, slot := range s.taken {
		if slot == 0 {
			continue
		}
		if h, ok := hash(uint32(slot) - 1); ok {
			fresh.place(h, uint32(slot)-1)
		}
	}
	return fresh
}

func (s *slots) place(h uint64, n uint32) {
	i := h & uint64(len(s.taken)-1)
	for s.taken[i] != 0 {
		i = (i + 1) & uint64(len(s.taken)-1)
	}
	s.taken[i] = h&upper | uint64(n+1)
	s.count++
}

// each calls fn with the rows that may have the hash h, until it returns false.
func (s *slots) each(h uint64, fn func(n uint32) bool) {
	if len(s.taken) == 0 {
		return
	}
	for i := h & uint64(len(s.taken)-1); s.taken[i] != 0; i = (i + 1) & uint64(len(s.taken)-1) {
		if slot := s.taken[i]; slot&upper == h&upper && !fn(uint32(slot)-1) {
			return
		}
	}
}
