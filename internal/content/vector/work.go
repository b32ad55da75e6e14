package vector

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/search"
	"frontdesk/internal/infra/llm"
	"frontdesk/internal/infra/store"
)

// The measures of the work.
const (
	workTime     = 5 * time.Second // of one Step
	callTexts    = 64
	callBytes    = 96 << 10
	loadItems    = 64
	takeTexts    = 256             // vectors that one query reads
	lookAgain    = 5 * time.Second // for vectors that another process makes
	refusedPause = time.Hour       // until a text is tried again that the model did not take
	firstPause   = 5 * time.Second // after a failure
	lastPause    = 5 * time.Minute
	sweepEvery   = 24 * time.Hour
	keepUnused   = 7 * 24 * time.Hour
)

// take reads vectors from the database that are there already.
func (k *Store) take(ctx context.Context, missing []*item) error {
	now, wanted := k.options.Now(), []*text{}
	for _, it := range missing {
		for _, t := range it.texts {
			if t != nil && t.values == nil &&
				(t.looked.IsZero() || !k.lease.holding && now.Sub(t.looked) >= lookAgain) {
				t.looked = now
				wanted = append(wanted, t)
			}
		}
	}
	for part := range slices.Chunk(wanted, takeTexts) {
		found := map[key][]float32{}
		err := k.options.DB.View(ctx, func(tx *store.Tx) error {
			clear(found)
			return read(ctx, tx, part, found)
		})
		if err != nil {
			for _, t := range wanted {
				t.looked = time.Time{}
			}
			return fmt.Errorf("read vectors: %w", err)
		}
		k.settle(found)
		k.fill(found)
	}
	return nil
}

func read(ctx context.Context, tx *store.Tx, texts []*text, found map[key][]float32) error {
	keys := make([]any, len(texts))
	for i, t := range texts {
		keys[i] = t.key[:]
	}
	return tx.Each(ctx, `SELECT key, vector FROM vector_text WHERE key IN (`+store.Params(1, len(keys))+`)`,
		func(row store.Scanner) error {
			var name, packed []byte
			if err := row.Scan(&name, &packed); err != nil {
				return err
			}
			if values := unpack(packed); len(name) == len(key{}) && values != nil {
				found[key(name)] = values
			}
			return nil
		}, keys...)
}

// settle decides how long vectors are, if that is not known: as most of the first are.
func (k *Store) settle(found map[key][]float32) {
	if k.dimensions > 0 {
		return
	}
	count, most := map[int]int{}, 0
	for _, values := range found {
		count[len(values)]++
	}
	for n, times := range count {
		if times > count[most] || times == count[most] && n > most {
			most = n
		}
	}
	k.mu.Lock()
	k.dimensions = most
	k.mu.Unlock()
}

// pack writes a vector as the database keeps it.
func pack(values []float32) []byte {
	packed := make([]byte, 0, 4*len(values))
	for _, x := range values {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(x))
	}
	return packed
}

// unpack reads what pack wrote; nil for anything else.
func unpack(packed []byte) []float32 {
	if len(packed) == 0 || len(packed)%4 != 0 {
		return nil
	}
	values := make([]float32, len(packed)/4)
	for i := range values {
		values[i] = math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:]))
	}
	if !search.Unit(values) {
		return nil
	}
	return values
}

// Release lets another process go on with the work at once. It also works when ctx has ended.
func (k *Store) Release(ctx context.Context) error { return k.lease.release(ctx) }

// wanted is a text for the model.
type wanted struct {
	*text
	words string
}

// work has texts turned into vectors for a while, and says whether there is more to do at once.
func (k *Store) work(ctx context.Context, admission Admission, missing []*item) (more bool, err error) {
	until := k.options.Now().Add(workTime)
	for items := range slices.Chunk(missing, loadItems) {
		texts, err := k.words(ctx, admission, items)
		if err != nil {
			return false, err
		}
		for len(texts) > 0 {
			n := callSize(texts)
			if n = k.rate.allow(k.options.Now(), k.options.Pace, n); n == 0 {
				return false, nil
			}
			if goOn, err := k.embed(ctx, texts[:n]); err != nil || !goOn {
				return false, err
			}
			texts = texts[n:]
			if !k.options.Now().Before(until) {
				return true, nil
			}
		}
	}
	return false, nil
}

// callSize is how many of the texts go into one call.
func callSize(texts []wanted) int {
	size := 0
	for n, t := range texts {
		if size += len(t.words); n == callTexts || n > 0 && size > callBytes {
			return n
		}
	}
	return len(texts)
}

// words gives the texts of items that have no vector. An item that has changed meanwhile has
// others, and comes again.
func (k *Store) words(ctx context.Context, admission Admission, items []*item) (texts []wanted, err error) {
	last := len(items) - 1
	probing := items[last] == k.probes
	if probing {
		items = items[:last]
	}
	refs := make([]content.Ref, len(items))
	for i, it := range items {
		refs[i] = it.ref
	}
	loaded, err := k.options.Catalog.LoadItems(ctx, refs...)
	if err != nil {
		return nil, fmt.Errorf("load the items whose texts have no vector: %w", err)
	}
	seen := map[*text]bool{}
	for i, it := range items {
		if loaded[i].URL == "" {
			continue
		}
		words := admission.Texts(&content.Entry{Ref: it.ref, Item: loaded[i]})
		for passage, t := range it.texts {
			if t == nil || t.values != nil || seen[t] || k.options.Now().Sub(t.refused) < refusedPause ||
				passage >= len(words) || k.keyOf(words[passage]) != t.key {
				continue
			}
			seen[t] = true
			texts = append(texts, wanted{t, k.options.TextPrefix + words[passage]})
		}
	}
	if probing {
		for i, t := range k.probes.texts {
			if t.values == nil && k.options.Now().Sub(t.refused) >= refusedPause {
				texts = append(texts, wanted{t, k.options.QuestionPrefix + probes[i]})
			}
		}
	}
	return texts, nil
}

// embed makes one call of the model, keeps what comes back, and says whether to go on. When the
// model does not take the texts, they are tried one by one.
func (k *Store) embed(ctx context.Context, texts []wanted) (goOn bool, err error) {
	words := make([]string, len(texts))
	for i, t := range texts {
		words[i] = t.words
	}
	vectors, err := k.options.Model.Embed(ctx, words)
	if err == nil {
		err = k.check(vectors)
	}
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err == nil:
		k.pause = 0
		return true, k.put(ctx, texts, vectors)
	case !refusesText(err):
		k.fail(err)
		return false, nil
	case len(texts) == 1:
		k.mu.Lock()
		texts[0].refused = k.options.Now()
		k.mu.Unlock()
		k.note(fmt.Errorf("a text of %d characters: %w", len([]rune(texts[0].words)), err))
		return true, nil
	}
	for i := range texts {
		if goOn, err := k.embed(ctx, texts[i:i+1]); err != nil || !goOn {
			return false, err
		}
	}
	return true, nil
}

// check holds new vectors against those that are there.
func (k *Store) check(vectors [][]float32) error {
	for _, v := range vectors {
		if !search.Unit(v) {
			return errors.New("the endpoint gave a vector without a direction")
		}
		if k.dimensions > 0 && len(v) != k.dimensions {
			return fmt.Errorf("the endpoint gives vectors of %d numbers, and those kept have %d: "+
				"if it serves another model now, write another model.vectors.version, and all are made anew",
				len(v), k.dimensions)
		}
	}
	return nil
}

// refusesText says whether a failure may be of a text rather than of the endpoint.
func refusesText(err error) bool {
	f, ok := errors.AsType[*llm.Error](err)
	return ok && f.Reason == llm.Refused && (f.Status == 400 || f.Status == 413 || f.Status == 422)
}

// fail notes a failure, and leaves the endpoint alone for a while: longer each time.
func (k *Store) fail(err error) {
	k.pause = min(max(2*k.pause, firstPause), lastPause)
	if f, ok := errors.AsType[*llm.Error](err); ok {
		k.pause = max(k.pause, f.RetryAfter)
		if f.Reason == llm.CircuitOpen || f.Reason == llm.Busy { // which tells nothing of why
			k.resting = k.options.Now().Add(firstPause)
			return
		}
	}
	k.resting = k.options.Now().Add(k.pause)
	k.note(err)
}

func (k *Store) note(err error) {
	k.options.Log.Debug("texts were not turned into vectors", "error", err)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.failure, k.failed = err, k.options.Now()
}

// put keeps vectors in the database, and then in memory.
func (k *Store) put(ctx context.Context, texts []wanted, vectors [][]float32) error {
	err := k.options.DB.Update(ctx, func(tx *store.Tx) error {
		for i, t := range texts {
			_, err := tx.Exec(ctx, `INSERT INTO vector_text (key, vector) VALUES ($1, $2)
				ON CONFLICT (key) DO UPDATE SET vector = excluded.vector, unused = 0`, t.key[:], pack(vectors[i]))
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep vectors: %w", err)
	}
	made := make(map[key][]float32, len(texts))
	for i, t := range texts {
		made[t.key] = vectors[i]
	}
	k.settle(made)
	k.fill(made)
	k.mu.Lock()
	k.failure = nil
	k.mu.Unlock()
	return nil
}

// sweep removes vectors that nothing has needed for a while. What comes back within it costs
// nothing.
func (k *Store) sweep(ctx context.Context) error {
	now := k.options.Now()
	for after := []byte{}; after != nil; {
		next, idle, used, err := k.page(ctx, after)
		if err != nil {
			return err
		}
		after = next
		if len(idle)+len(used) == 0 {
			continue
		}
		err = k.options.DB.Update(ctx, func(tx *store.Tx) error {
			for _, name := range idle {
				if _, err := tx.Exec(ctx, `UPDATE vector_text SET unused = $1 WHERE key = $2`, store.Micros(now), name); err != nil {
					return err
				}
			}
			for _, name := range used {
				if _, err := tx.Exec(ctx, `UPDATE vector_text SET unused = 0 WHERE key = $1`, name); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return k.options.DB.Update(ctx, func(tx *store.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM vector_text WHERE unused > 0 AND unused <= $1`, store.Micros(now.Add(-keepUnused)))
		return err
	})
}

// page gives, of the next vectors, those that nothing needs any more, and those that are needed
// again.
func (k *Store) page(ctx context.Context, after []byte) (last []byte, idle, used [][]byte, err error) {
	const size = 1000
	err = k.options.DB.View(ctx, func(tx *store.Tx) error {
		last, idle, used = nil, nil, nil
		n := 0
		err := tx.Each(ctx, `SELECT key, unused FROM vector_text WHERE key > $1 ORDER BY key LIMIT $2`,
			func(row store.Scanner) error {
				n++
				var name []byte
				var unused int64
				if err := row.Scan(&name, &unused); err != nil {
					return err
				}
				last = name
				needed := len(name) == len(key{}) && k.needs(key(name))
				switch {
				case needed && unused > 0:
					used = append(used, name)
				case !needed && unused == 0:
					idle = append(idle, name)
				}
				return nil
			}, after, size)
		if n < size {
			last = nil
		}
		return err
	})
	return last, idle, used, err
}

func (k *Store) needs(name key) bool {
	k.mu.RLock()
	defer k.mu.RUnlock()
	t := k.texts[name]
	return t != nil && t.users > 0
}

// rate bounds how many texts go out in a minute.
type rate struct {
	left float64
	at   time.Time
}

// allow says how many of n may go now; perMinute 0 is no bound.
func (r *rate) allow(now time.Time, perMinute, n int) int {
	if perMinute == 0 {
		return n
	}
	if r.at.IsZero() {
		r.left = float64(perMinute)
	} else if now.After(r.at) {
		r.left = min(float64(perMinute), r.left+now.Sub(r.at).Minutes()*float64(perMinute))
	}
	r.at = now
	n = min(n, int(r.left))
	r.left -= float64(n)
	return n
}

// cut shortens what is told of a failure.
func cut(s string) string {
	const most = 500
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}
