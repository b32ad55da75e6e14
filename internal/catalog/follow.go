package catalog

import (
	"context"

	"frontdesk/internal/content"
)

// changes are what a refresh has read and not put in yet.
type changes struct {
	fresh   *table  // with everything, where the catalog is read anew; else nil
	words   *intern // that the records are written with
	put     []change
	removed []content.PackedID
}

type change struct {
	id     content.PackedID
	record record
}

// together is how many items are handed from the one who reads the database to the one who makes records of them, and
// ahead how many such batches may wait.
const together, ahead = 128, 4

// read reads what was published since a cursor; all of it without one. While one goroutine reads, another makes records.
func (c *Catalog) read(ctx context.Context, from map[content.SourceKey]int64) (cursor map[content.SourceKey]int64, ch *changes, err error) {
	ch = &changes{}
	if from == nil {
		ch.fresh = newTable()
		ch.words = &ch.fresh.words
	} else {
		words := c.t.words
		ch.words = &words
	}
	batches, done := make(chan []content.Change, ahead), make(chan struct{})
	go func() {
		defer close(done)
		for batch := range batches {
			for i := range batch {
				ch.take(&batch[i])
			}
		}
	}()
	var batch []content.Change
	cursor, err = c.config.Content.Changes(ctx, from, func(step content.Change) error {
		if batch = append(batch, step); len(batch) == together {
			batches <- batch
			batch = make([]content.Change, 0, together)
		}
		return nil
	})
	batches <- batch
	close(batches)
	<-done
	if err != nil && from != nil {
		c.mu.Lock()
		c.t.words = *ch.words // which has numbered texts that the next refresh will not number again
		c.mu.Unlock()
	}
	return cursor, ch, err
}

func (ch *changes) take(step *content.Change) {
	id, ok := content.PackID(step.Entry.ID)
	if !ok {
		return
	}
	if step.Removed {
		ch.removed = append(ch.removed, id)
		return
	}
	r, ok := newRecord(&step.Entry, ch.words)
	switch {
	case !ok:
	case ch.fresh != nil:
		ch.fresh.put(id, r)
	default:
		ch.put = append(ch.put, change{id, r})
	}
}

// apply gives the table with the changes.
func (ch *changes) apply(t *table) *table {
	if ch.fresh != nil {
		return ch.fresh
	}
	t.words = *ch.words
	for _, id := range ch.removed {
		t.remove(id)
	}
	for _, c := range ch.put {
		t.put(c.id, c.record)
	}
	if t.wasteful() {
		return t.packed()
	}
	return t
}
