package catalog

import (
	"context"
	"sync"

	"frontdesk/internal/content"
)

// changes are what a refresh has read and not put in yet.
type changes struct {
	fresh   *table  // with everything, where the catalog is read anew; else nil
	words   *intern // that the records are written with
	put     []change
	removed []content.PackedID
	pushed  map[string]int64 // up to where what was pushed is among them; nil for where it was
}

type change struct {
	id     content.PackedID
	record record
}

// together is how many items are handed on at a time, ahead how many such batches may wait, and
// readers how many read them.
const together, ahead, readers = 128, 4, 2

// read reads what was published since a cursor; all of it without one. While one goroutine reads
// the database, others read the items, and one makes records of what they found.
func (c *Catalog) read(ctx context.Context, from map[content.SourceKey]int64) (cursor map[content.SourceKey]int64,
	ch *changes, err error) {
	ch = &changes{}
	if from == nil {
		ch.fresh = newTable()
		ch.words = &ch.fresh.words
	} else {
		words := c.t.words
		ch.words = &words
	}
	batches, read, done := make(chan []content.Change, ahead), make(chan []taken, ahead), make(chan struct{})
	var reading sync.WaitGroup
	for range readers {
		reading.Go(func() {
			for batch := range batches {
				read <- look(batch, c.config.Similar)
			}
		})
	}
	go func() {
		defer close(done)
		for batch := range read {
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
	reading.Wait()
	close(read)
	<-done
	if err != nil && from != nil {
		c.keepWords(ch)
	}
	return cursor, ch, err
}

// keepWords keeps the numbers of texts that changes which are not put in have numbered, and the
// next ones will not number again.
func (c *Catalog) keepWords(ch *changes) {
	c.mu.Lock()
	c.t.words = *ch.words
	c.mu.Unlock()
}

// taken is a change that was read.
type taken struct {
	id      content.PackedID
	removed bool
	reading
}

func look(batch []content.Change, similar bool) (all []taken) {
	all = make([]taken, 0, len(batch))
	for i := range batch {
		step := &batch[i]
		id, ok := content.PackID(step.Entry.ID)
		t := taken{id: id, removed: step.Removed}
		if ok && !t.removed {
			t.reading, ok = readEntry(&step.Entry, similar)
		}
		if ok {
			all = append(all, t)
		}
	}
	return all
}

func (ch *changes) take(t *taken) {
	switch {
	case t.removed:
		ch.removed = append(ch.removed, t.id)
	case ch.fresh != nil:
		ch.fresh.put(t.id, t.record(ch.words))
	default:
		ch.put = append(ch.put, change{t.id, t.record(ch.words)})
	}
}

// apply puts the changes into a table.
func (ch *changes) apply(t *table) {
	t.words = *ch.words
	for _, id := range ch.removed {
		t.remove(id)
	}
	for _, c := range ch.put {
		t.put(c.id, c.record)
	}
}
