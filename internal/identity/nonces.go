package identity

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"sync"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/periodic"
	"frontdesk/internal/infra/store"
)

// Nonces are the nonces that were used under each key and must not be used again for a while. They
// are rows of PlatformSchema, so that they outlive the process and hold for all nodes. Its methods
// may be called concurrently.
type Nonces struct {
	db   *store.DB
	now  func() time.Time
	most int // that may be kept of one key

	mu   sync.Mutex
	held map[string]int // about how many are kept of each key: as last counted, and those that were used since
}

// noncesOfKey is how many nonces may be kept of one key: for the ten minutes that a nonce is kept
// at the most, 1,600 requests each second.
const noncesOfKey = 1_000_000

// NewNonces makes the nonces of a database that has PlatformSchema. Most is how many may be kept of
// one key, 0 for a million. A nil clock is time.Now. Sweep must be called from time to time.
func NewNonces(db *store.DB, most int, now func() time.Time) *Nonces {
	if now == nil {
		now = time.Now
	}
	if most <= 0 {
		most = noncesOfKey
	}
	return &Nonces{db: db, now: now, most: most, held: map[string]int{}}
}

// UseNonce uses a nonce under a key, in the caller's transaction: fresh is false when it was used
// before and that use still counts. It counts until the time until, after which a request with it
// must be too old for another reason. Two transactions that use the same nonce at once cannot both
// find it fresh. It is fail.Limited when so many nonces of the key are kept that another cannot be:
// to forget one would be to let it in twice.
func (n *Nonces) UseNonce(ctx context.Context, tx *store.Tx, keyID, nonce string, until time.Time) (fresh bool,
	err error) {
	now := n.now()
	if fresh, err = n.may(keyID, now, until); err != nil || !fresh {
		return false, err
	}
	changed, err := tx.Exec(ctx, insertNonce, nonceID(keyID, nonce), keyID, store.Micros(until), store.Micros(now))
	if fresh = err == nil && changed == 1; fresh {
		n.count(keyID, 1)
	}
	return fresh, err
}

const insertNonce = `INSERT INTO platform_nonce (id, owner, until) VALUES ($1, $2, $3)
	ON CONFLICT (id) DO UPDATE SET owner = excluded.owner, until = excluded.until WHERE platform_nonce.until <= $4`

// may says whether a nonce can be fresh, as far as is known without looking.
func (n *Nonces) may(keyID string, now, until time.Time) (bool, error) {
	if !until.After(now) { // it would be swept at once, and be fresh again
		return false, nil
	}
	if n.count(keyID, 0) >= n.most {
		return false, fail.New(fail.Limited, "this key has sent more requests than can be told apart; send fewer").
			After(sweepEvery)
	}
	return true, nil
}

// Proof is a signature over HTTP that counts once.
type Proof struct {
	Key       string    // the thumbprint of the key that made it
	Signature []byte    // as [Nonces.UseNonce] takes it
	Until     time.Time // when it is too old to be taken in any case
}

// UseProof uses a request's signature, in the caller's transaction. It is fail.Unauthorized where
// it was used before: who copied a request gets nothing for it, not the answer that it had either.
// A nil proof is used any number of times.
func (n *Nonces) UseProof(ctx context.Context, tx *store.Tx, p *Proof) error {
	if p == nil {
		return nil
	}
	fresh, err := n.UseNonce(ctx, tx, "ramp:"+p.Key, string(p.Signature), p.Until)
	if err == nil && !fresh {
		err = errProofUsed
	}
	return err
}

// UseProofSoon is UseProof whose error may come with the next statement that is no
// [store.Tx.ExecOne]. The caller has to run one before it does anything that who copied a request
// may not learn of.
func (n *Nonces) UseProofSoon(ctx context.Context, tx *store.Tx, p *Proof) error {
	if p == nil {
		return nil
	}
	now, key := n.now(), "ramp:"+p.Key
	fresh, err := n.may(key, now, p.Until)
	if err == nil && !fresh {
		err = errProofUsed
	}
	if err != nil {
		return err
	}
	n.count(key, 1) // and if it was used before, one too many until the next sweep
	return tx.ExecOneOr(ctx, errProofUsed, insertNonce, nonceID(key, string(p.Signature)), key, store.Micros(p.Until),
		store.Micros(now))
}

var errProofUsed = fail.New(fail.Unauthorized, "this signature over HTTP was used already, and counts once; sign the "+
	"request anew, with a nonce: where the request was answered, the answer is the same, and nothing more is bought")

// count adds to what is known of a key's nonces, and says how many there are. What a transaction
// adds that is undone or repeated is counted all the same until the next sweep.
func (n *Nonces) count(keyID string, more int) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	if more != 0 {
		n.held[keyID] += more
	}
	return n.held[keyID]
}

// nonceID is the row of a nonce. A nonce that shares another's is taken for a repetition, never the
// other way: with a million of them kept, one request in eighteen million million.
func nonceID(keyID, nonce string) int64 {
	hash := sha256.New()
	var length [8]byte
	binary.BigEndian.PutUint64(length[:], uint64(len(keyID)))
	hash.Write(length[:])
	hash.Write([]byte(keyID))
	hash.Write([]byte(nonce))
	return int64(binary.BigEndian.Uint64(hash.Sum(nil)))
}

const (
	// sweepEvery is how often Keep sweeps.
	sweepEvery = 30 * time.Second
	// sweepAfter is how long a nonce is kept beyond its time, since nodes' clocks may differ.
	sweepAfter = time.Minute
	// sweepRows is how many nonces are looked at in one transaction, so that requests need not wait
	// long for it.
	sweepRows = 5_000
)

// Sweep removes the nonces whose time is over, and counts those that are left. It says how many it
// removed. It looks at all of them, of which there are few enough: an index by time would be
// written with every request.
func (n *Nonces) Sweep(ctx context.Context) (removed int, err error) {
	over := store.Micros(n.now().Add(-sweepAfter))
	for from := int64(math.MinInt64); ; {
		var count, to, oldest, gone int64
		err := n.db.View(ctx,
			func(tx *store.Tx) error { return tx.QueryRow(ctx, selectPart, from).Scan(&count, &to, &oldest) })
		if err == nil && count > 0 && oldest <= over {
			err = n.db.Update(ctx, func(tx *store.Tx) (err error) {
				gone, err = tx.Exec(ctx, `DELETE FROM platform_nonce WHERE id >= $1 AND id <= $2 AND until <= $3`, from, to, over)
				return err
			})
		}
		if err != nil {
			return removed, err
		}
		removed += int(gone)
		if count < sweepRows || to == math.MaxInt64 {
			return removed, n.recount(ctx)
		}
		from = to + 1
	}
}

// selectPart tells of some nonces, in the order of their ids.
var selectPart = fmt.Sprintf(`SELECT COUNT(*), COALESCE(MAX(id), 0), COALESCE(MIN(until), 0) FROM (SELECT id, until FROM platform_nonce WHERE id >= $1 ORDER BY id LIMIT %d) AS part`, sweepRows)

// recount counts the nonces of each key that are kept.
func (n *Nonces) recount(ctx context.Context) error {
	held := map[string]int{}
	err := n.db.View(ctx, func(tx *store.Tx) error {
		clear(held)
		return tx.Each(ctx, `SELECT owner, COUNT(*) FROM platform_nonce GROUP BY owner`, func(row store.Scanner) error {
			var key string
			var count int
			if err := row.Scan(&key, &count); err != nil {
				return err
			}
			held[key] = count
			return nil
		})
	})
	if err == nil {
		n.mu.Lock()
		n.held = held
		n.mu.Unlock()
	}
	return err
}

// RunSweep sweeps now and again and again until ctx ends; failed hears when that could not be done.
func (n *Nonces) RunSweep(ctx context.Context, failed func(error)) {
	periodic.Run(ctx, sweepEvery, func(ctx context.Context) {
		if _, err := n.Sweep(ctx); err != nil && ctx.Err() == nil {
			failed(err)
		}
	})
}
