// Package keytable verifies Ed25519 signatures (RFC 8032) by keys that come often in about a quarter of the time that crypto/ed25519 takes. It says
// good and bad of exactly the same signatures.
//
// To verify is to reckon [S]B - [k]A, and to compare that with the signature's R. The multiples of B, which is the same for all keys, and those of
// a key A that came often are kept in tables, so that nothing remains but additions. Numbers and points as they come are read by
// filippo.io/edwards25519, the standard library's own arithmetic by its maintainer, and its field is what is reckoned with. Verifying has no
// secret, and takes more or less time as the numbers have it. It stands on nothing of this house.
package keytable

import (
	"crypto/ed25519"
	"crypto/sha512"
	"maps"
	"sync"
	"sync/atomic"

	"filippo.io/edwards25519"
)

// often is how many signatures of a key are verified without a table: to make one takes as long as that many save.
const often = 40

// counted is how many keys are counted that have no table.
const counted = 4096

// Tables are the tables of those keys that came often, the last ones. The zero value has none, and room for none. It may be used from many
// goroutines.
type Tables struct {
	most int
	// kept is replaced as a whole, under mu, so that verifying waits for nobody.
	kept atomic.Pointer[map[key]*entry]
	mu   sync.Mutex
	seen map[key]int // of keys without a table: how often they came
	turn atomic.Int64
}

type key = [ed25519.PublicKeySize]byte

// entry is the table of the negative of a key.
type entry struct {
	minus *table
	last  atomic.Int64 // the turn in which it was used
}

// New keeps tables of so many keys at most. Each takes 480 KiB, and about two milliseconds to make.
func New(most int) *Tables { return &Tables{most: most} }

// Verify says what [ed25519.Verify] says, but does not panic over a key that has not the size of one: by that no signature is good.
func (t *Tables) Verify(public ed25519.PublicKey, message, signature []byte) bool {
	if len(public) != ed25519.PublicKeySize {
		return false
	}
	if e := t.tableOf(key(public)); e != nil {
		return e.verify(public, message, signature)
	}
	return ed25519.Verify(public, message, signature)
}

// tableOf gives the table of a key; nil for one that did not come often, and for what is no point.
func (t *Tables) tableOf(k key) *entry {
	kept := t.kept.Load()
	if kept != nil {
		if e := (*kept)[k]; e != nil {
			e.last.Store(t.turn.Add(1))
			return e
		}
	}
	if t.most <= 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if now := t.kept.Load(); now != kept && (*now)[k] != nil {
		return (*now)[k]
	}
	if len(t.seen) >= counted || t.seen == nil {
		t.seen = map[key]int{}
	}
	if t.seen[k]++; t.seen[k] < often {
		return nil
	}
	delete(t.seen, k)
	point, err := new(edwards25519.Point).SetBytes(k[:])
	if err != nil {
		return nil
	}
	e := &entry{minus: newTable(point.Negate(point))}
	e.last.Store(t.turn.Add(1))
	t.keep(k, e)
	return e
}

// keep puts a table in, in the place of the one that was used least lately where there are too many. The caller holds mu.
func (t *Tables) keep(k key, e *entry) {
	fresh := map[key]*entry{k: e}
	if kept := t.kept.Load(); kept != nil {
		maps.Copy(fresh, *kept)
	}
	if len(fresh) > t.most {
		least := k
		for other, one := range fresh {
			if one.last.Load() < fresh[least].last.Load() {
				least = other
			}
		}
		delete(fresh, least)
	}
	t.kept.Store(&fresh)
}

// base is the table of the generator, made when it is first needed.
var base = sync.OnceValue(func() *table { return newTable(edwards25519.NewGeneratorPoint()) })

func (e *entry) verify(public ed25519.PublicKey, message, signature []byte) bool {
	if len(signature) != ed25519.SignatureSize {
		return false
	}
	s, err := edwards25519.NewScalar().SetCanonicalBytes(signature[32:])
	if err != nil {
		return false
	}
	hash := sha512.New()
	hash.Write(signature[:32])
	hash.Write(public)
	hash.Write(message)
	var sum [sha512.Size]byte
	k, err := edwards25519.NewScalar().SetUniformBytes(hash.Sum(sum[:0]))
	if err != nil {
		return false
	}
	r := identity()
	base().add(&r, s)
	e.minus.add(&r, k)
	return r.bytes() == [32]byte(signature)
}
