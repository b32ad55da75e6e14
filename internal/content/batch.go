package content

import (
	"context"
	"database/sql"
	"errors"
	"iter"

	"frontdesk/internal/infra/store"
)

// A run keeps in memory where it stands with every item: identity, digest and number, some hundred
// bytes for each, but nothing of their content. So it reads the versions of its source once, in
// order, and writes only what has changed.

// version is what a run knows of a version of an item.
type version struct {
	n        int64
	hash     [16]byte
	passages int32
	state    state
	mine     bool // this run has published it itself, at a checkpoint
}

// state is what the run has done with a published version.
type state int8

const (
	untouched state = iota // so far
	kept                   // it was put again, unchanged
	ended                  // another version takes its place
)

// plan is what one batch is going to do.
type plan struct {
	drop    []int64       // versions of this run that a later item replaces
	expire  []int64       // published versions that end with this run
	restore []int64       // published versions that are to stay after all
	insert  []insertion   // new versions
	states  map[key]state // of published versions, as they will be
	forget  []key         // items of this run that are back to what was published
	count   Summary       // what all this adds to the run's
}

type insertion struct {
	version
	key  key
	item *Item
}

// flush writes the batch, in one transaction. What the run knows changes only when that has
// succeeded.
func (r *Run) flush(ctx context.Context) error {
	if len(r.batch) == 0 {
		return nil
	}
	p := plan{states: map[key]state{}}
	last := make(map[key]int, len(r.batch))
	for i := range r.batch {
		k := itemKey(r.key.Site, r.key.Source, r.batch[i].URL)
		if _, again := last[k]; again {
			p.count.Duplicates++
		}
		last[k] = i
	}
	for i := range r.batch {
		k := itemKey(r.key.Site, r.key.Source, r.batch[i].URL)
		if last[k] == i {
			r.decide(&p, k, &r.batch[i])
		}
	}
	if err := r.save(ctx, &p); err != nil {
		return err
	}
	r.apply(&p)
	clear(r.batch)
	r.batch, r.size = r.batch[:0], 0
	return nil
}

// decide adds to the plan what an item asks for.
func (r *Run) decide(p *plan, k key, item *Item) {
	hash := hashItem(item)
	current, published := r.current[k]
	pending, written := r.pending[k]
	if written || published && current.state == kept {
		p.count.Duplicates++
	}
	if written && pending.hash == hash {
		return
	}
	if written {
		p.drop = append(p.drop, pending.n)
		p.count.add(&pending, -1)
		switch {
		case !published:
			p.count.Added--
		case !current.mine:
			p.count.Changed--
		}
	}
	if published && current.hash == hash {
		p.keep(k, &current, written)
		return
	}
	if published {
		p.replace(k, &current)
	} else {
		p.count.Added++
	}
	v := version{hash: hash, passages: int32(len(item.Passages))}
	p.insert = append(p.insert, insertion{version: v, key: k, item: item})
	p.count.add(&v, 1)
}

// keep lets the published version stand, even if this run had ended it before.
func (p *plan) keep(k key, current *version, written bool) {
	if written {
		p.forget = append(p.forget, k)
		p.restore = append(p.restore, current.n)
		p.count.add(current, 1)
	}
	if current.state != kept {
		p.states[k] = kept
		if !current.mine {
			p.count.Unchanged++
		}
	}
}

// replace ends the published version.
func (p *plan) replace(k key, current *version) {
	if !current.mine {
		p.count.Changed++
		if current.state == kept {
			p.count.Unchanged--
		}
	}
	if current.state != ended {
		p.states[k] = ended
		p.expire = append(p.expire, current.n)
		p.count.add(current, -1)
	}
}

// add counts a version in, or out.
func (s *Summary) add(v *version, times int) {
	s.Items += times
	s.Passages += times * int(v.passages)
}

// save carries the plan out. A batch in which nothing changed writes nothing, unless the lease
// needs it.
func (r *Run) save(ctx context.Context, p *plan) error {
	if len(p.drop)+len(p.expire)+len(p.restore)+len(p.insert) == 0 && r.catalog.now().Before(r.renewAt) {
		return nil
	}
	number := r.last
	for i := range p.insert {
		number++
		p.insert[i].n = number
	}
	err := r.update(ctx, func(tx *store.Tx) error {
		if err := dropVersions(ctx, tx, p.drop); err != nil {
			return err
		}
		if err := execAmong(ctx, tx, `UPDATE content_version SET until = NULL WHERE n IN (`, p.restore); err != nil {
			return err
		}
		if err := r.expire(ctx, tx, p.expire); err != nil {
			return err
		}
		return r.insert(ctx, tx, p.insert)
	})
	if err == nil {
		r.last = number
	}
	return err
}

// apply brings what the run knows to where the database is.
func (r *Run) apply(p *plan) {
	for k, state := range p.states {
		v := r.current[k]
		v.state = state
		r.current[k] = v
	}
	for _, k := range p.forget {
		delete(r.pending, k)
	}
	for i := range p.insert {
		r.pending[p.insert[i].key] = p.insert[i].version
	}
	r.count.Added += p.count.Added
	r.count.Changed += p.count.Changed
	r.count.Unchanged += p.count.Unchanged
	r.count.Duplicates += p.count.Duplicates
	r.count.Items += p.count.Items
	r.count.Passages += p.count.Passages
}

// expire ends published versions as of the revision that the run will publish.
func (r *Run) expire(ctx context.Context, tx *store.Tx, versions []int64) error {
	for part := range parts(versions, maxAmong) {
		list, args := among(2, part)
		_, err := tx.Exec(ctx, `UPDATE content_version SET until = $1 WHERE n IN (`+list+`)`, append([]any{r.published + 1}, args...)...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *Run) insert(ctx context.Context, tx *store.Tx, inserts []insertion) error {
	if len(inserts) == 0 {
		return nil
	}
	versions := func(yield func([]any) bool) {
		for i := range inserts {
			v := &inserts[i]
			if !yield([]any{v.n, r.source, v.key.String(), r.published + 1, nil, int64(v.passages), v.hash[:]}) {
				return
			}
		}
	}
	items := func(yield func([]any) bool) {
		for i := range inserts {
			if !yield(row(inserts[i].n, inserts[i].item)) {
				return
			}
		}
	}
	_, err := tx.BulkInsert(ctx, "content_version", []string{"n", "source", "id", "since", "until", "passages", "hash"},
		versions)
	if err != nil {
		return err
	}
	_, err = tx.BulkInsert(ctx, "content_item", itemColumns, items)
	return err
}

// recall reads what is published of the source, and from which number to go on.
func (r *Run) recall(ctx context.Context) error {
	after, before := numberRange(r.source)
	return r.catalog.db.View(ctx, func(tx *store.Tx) error {
		r.current = make(map[key]version, r.items)
		if err := tx.QueryRow(ctx, `SELECT COALESCE(MAX(n), $1) FROM content_version WHERE n > $1 AND n < $2`, after, before).Scan(&r.last); err != nil {
			return err
		}
		return tx.Each(ctx, `SELECT n, id, passages, hash FROM content_version WHERE n > $1 AND n < $2 AND until IS NULL`,
			func(row store.Scanner) error {
				var v version
				var id, hash sql.RawBytes
				if err := row.Scan(&v.n, &id, &v.passages, &hash); err != nil {
					return err
				}
				k, ok := parseKey(id)
				if !ok || copy(v.hash[:], hash) != len(v.hash) {
					return errors.New("a version of an item is damaged in the database")
				}
				r.current[k] = v
				return nil
			}, after, before)
	})
}

func dropVersions(ctx context.Context, tx *store.Tx, versions []int64) error {
	if err := execAmong(ctx, tx, `DELETE FROM content_item WHERE n IN (`, versions); err != nil {
		return err
	}
	return execAmong(ctx, tx, `DELETE FROM content_version WHERE n IN (`, versions)
}

// execAmong runs a statement that ends in "IN (" for the numbers, some hundreds at a time.
func execAmong(ctx context.Context, tx *store.Tx, statement string, numbers []int64) error {
	for part := range parts(numbers, maxAmong) {
		list, args := among(1, part)
		if _, err := tx.Exec(ctx, statement+list+`)`, args...); err != nil {
			return err
		}
	}
	return nil
}

// maxAmong is how many values one IN (...) takes.
const maxAmong = 500

// parts cuts a list into pieces of a bearable size.
func parts[T any](list []T, size int) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for len(list) > 0 {
			n := min(len(list), size)
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// among gives the parameters of an IN (...), of which the first is $from, and their values. The
// list is filled up with the last value to one of a few lengths, so that there are few statements
// for the engines to know.
func among[T any](from int, values []T) (list string, args []any) {
	length := maxAmong
	for _, n := range []int{1, 10, 100} {
		if len(values) <= n {
			length = n
			break
		}
	}
	args = make([]any, length)
	for i := range args {
		args[i] = values[min(i, len(values)-1)]
	}
	return store.Params(from, length), args
}
