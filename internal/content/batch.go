package content

import (
	"bytes"
	"context"
	"database/sql"
	"iter"

	"frontdesk/internal/store"
)

// planning is what one batch is going to do. Its memory serves batch after batch.
type planning struct {
	order []string       // the IDs in the batch, in the order in which they were put first
	items map[string]int // where in the batch the last item of an ID is
	known map[string]standing

	drop    []int64     // versions of this run that a later item replaces
	expire  []int64     // published versions that end with this run
	restore []int64     // published versions that are to stay after all
	insert  []insertion // new versions
	seen    []int64     // published versions that were put unchanged
	unseen  []int64     // and that no longer are
	count   Summary     // what all this adds to the run's
}

// standing is what the database has of an ID: the version that readers see, and the one that this run has put.
type standing struct {
	current, pending version
}

type version struct {
	n        int64 // 0 if there is none
	ended    bool  // by this run
	passages int
	hash     []byte
}

type insertion struct {
	version
	id   string
	item *Item
}

func newPlanning() *planning {
	return &planning{items: map[string]int{}, known: map[string]standing{}}
}

func (p *planning) reset() {
	clear(p.items)
	clear(p.known)
	*p = planning{order: p.order[:0], items: p.items, known: p.known, drop: p.drop[:0], expire: p.expire[:0],
		restore: p.restore[:0], insert: p.insert[:0], seen: p.seen[:0], unseen: p.unseen[:0]}
}

// flush writes the batch. What is there is read outside the writing transaction, which can be short: nobody but the
// holder of the lease changes a source's rows, and the writing transaction begins by looking whether that is still
// this run.
func (r *Run) flush(ctx context.Context) error {
	if len(r.batch) == 0 {
		return nil
	}
	p := r.write
	p.reset()
	for i := range r.batch {
		id := ItemID(r.key.Site, r.key.Source, r.batch[i].URL)
		if _, again := p.items[id]; again {
			p.count.Duplicates++
		} else {
			p.order = append(p.order, id)
		}
		p.items[id] = i
	}
	if err := r.lookUp(ctx, p); err != nil {
		return err
	}
	for _, id := range p.order {
		r.decide(p, id, &r.batch[p.items[id]])
	}
	if err := r.save(ctx, p); err != nil {
		return err
	}
	r.applied(p)
	clear(r.batch)
	r.batch, r.size = r.batch[:0], 0
	return nil
}

// lookUp reads what the database has of the batch's IDs.
func (r *Run) lookUp(ctx context.Context, p *planning) error {
	return r.catalog.db.View(ctx, func(tx *store.Tx) error {
		clear(p.known)
		for part := range parts(p.order) {
			list, args := among(3, part)
			rows, err := tx.Query(ctx, `SELECT id, n, since, until, passages, hash FROM content_version
				WHERE source = $1 AND (until IS NULL OR until > $2) AND id IN (`+list+`)`,
				append([]any{r.source, r.published}, args...)...)
			if err != nil {
				return err
			}
			if err := p.note(rows, r.published); err != nil {
				return err
			}
		}
		return nil
	})
}

func (p *planning) note(rows *sql.Rows, published int64) error {
	defer rows.Close()
	for rows.Next() {
		var id string
		var v version
		var since int64
		var until sql.NullInt64
		if err := rows.Scan(&id, &v.n, &since, &until, &v.passages, &v.hash); err != nil {
			return err
		}
		v.ended = until.Valid
		s := p.known[id]
		if since > published {
			s.pending = v
		} else {
			s.current = v
		}
		p.known[id] = s
	}
	return rows.Err()
}

// decide adds to the plan what an item asks for.
func (r *Run) decide(p *planning, id string, item *Item) {
	s := p.known[id]
	hash := hashItem(item)
	if s.pending.n != 0 || s.current.n != 0 && r.seen.has(s.current.n) {
		p.count.Duplicates++
	}
	switch {
	case s.pending.n != 0 && bytes.Equal(s.pending.hash, hash):
		return
	case s.pending.n != 0:
		p.drop = append(p.drop, s.pending.n)
		p.count.Items--
		p.count.Passages -= s.pending.passages
		if s.current.n != 0 {
			p.count.Changed--
		} else {
			p.count.Added--
		}
	}
	if s.current.n != 0 && bytes.Equal(s.current.hash, hash) {
		p.keep(&r.seen, s.current)
		return
	}
	if s.current.n != 0 {
		p.replace(&r.seen, s.current)
		p.count.Changed++
	} else {
		p.count.Added++
	}
	p.insert = append(p.insert, insertion{id: id, item: item, version: version{passages: len(item.Passages), hash: hash}})
	p.count.Items++
	p.count.Passages += len(item.Passages)
}

// keep lets the published version stand, even if this run had ended it before.
func (p *planning) keep(seen *bitmap, current version) {
	if current.ended {
		p.restore = append(p.restore, current.n)
		p.count.Items++
		p.count.Passages += current.passages
	}
	if !seen.has(current.n) {
		p.seen = append(p.seen, current.n)
		p.count.Unchanged++
	}
}

// replace ends the published version.
func (p *planning) replace(seen *bitmap, current version) {
	if !current.ended {
		p.expire = append(p.expire, current.n)
		p.count.Items--
		p.count.Passages -= current.passages
	}
	if seen.has(current.n) {
		p.unseen = append(p.unseen, current.n)
		p.count.Unchanged--
	}
}

// save carries the plan out. A batch in which nothing changed writes nothing, unless the lease needs it.
func (r *Run) save(ctx context.Context, p *planning) error {
	if len(p.drop)+len(p.expire)+len(p.restore)+len(p.insert) == 0 && r.catalog.now().Before(r.renewAt) {
		return nil
	}
	number := r.last
	for i := range p.insert {
		number++
		p.insert[i].n = number
	}
	renewAt := r.catalog.now().Add(leaseTime / 3)
	err := r.catalog.db.Update(ctx, func(tx *store.Tx) error {
		if err := r.renew(ctx, tx); err != nil {
			return err
		}
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
		r.last, r.renewAt = number, renewAt
	}
	return err
}

// expire ends published versions as of the revision that the run will publish.
func (r *Run) expire(ctx context.Context, tx *store.Tx, versions []int64) error {
	for part := range parts(versions) {
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
			if !yield([]any{v.n, r.source, v.id, r.published + 1, nil, v.passages, v.hash}) {
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
	_, err := tx.Bulk(ctx, "content_version", []string{"n", "source", "id", "since", "until", "passages", "hash"}, versions)
	if err != nil {
		return err
	}
	_, err = tx.Bulk(ctx, "content_item", itemColumns, items)
	return err
}

// applied brings the run's own memory to where the database is.
func (r *Run) applied(p *planning) {
	for _, n := range p.seen {
		r.seen.add(n)
	}
	for _, n := range p.unseen {
		r.seen.remove(n)
	}
	r.count.Added += p.count.Added
	r.count.Changed += p.count.Changed
	r.count.Unchanged += p.count.Unchanged
	r.count.Duplicates += p.count.Duplicates
	r.count.Items += p.count.Items
	r.count.Passages += p.count.Passages
}

func dropVersions(ctx context.Context, tx *store.Tx, versions []int64) error {
	if err := execAmong(ctx, tx, `DELETE FROM content_item WHERE n IN (`, versions); err != nil {
		return err
	}
	return execAmong(ctx, tx, `DELETE FROM content_version WHERE n IN (`, versions)
}

// execAmong runs a statement that ends in "IN (" for the numbers, some hundreds at a time.
func execAmong(ctx context.Context, tx *store.Tx, statement string, numbers []int64) error {
	for part := range parts(numbers) {
		list, args := among(1, part)
		if _, err := tx.Exec(ctx, statement+list+`)`, args...); err != nil {
			return err
		}
	}
	return nil
}

// maxAmong is how many values one IN (...) takes.
const maxAmong = 500

// parts cuts a list into pieces for one IN (...) each.
func parts[T any](list []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for len(list) > 0 {
			n := min(len(list), maxAmong)
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// among gives the parameters of an IN (...), of which the first is $from, and their values. The list is filled up
// with the last value to one of a few lengths, so that there are few statements for the engines to know.
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
