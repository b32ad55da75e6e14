package search

import (
	"sync"

	"frontdesk/internal/content/search/segment"
)

// Build fills a new index with all its documents at once. Many calls of Apply would come to the
// same, but each of them weighs all earlier documents anew, since the averages change, and analyses
// each word anew; a Build does either once, and works while its caller fetches the next documents.
//
// One goroutine uses a Build, and ends it with Done or Abort. The index must be new, and must not
// be changed meanwhile.
type Build struct {
	index   *Index
	seen    map[uint64]struct{} // hashes of the keys
	workers []*builder
	next    int // worker that gets the next documents
	running sync.WaitGroup
	done    bool
}

// builder is one worker: a reader that goes on from documents to documents until its batch is half
// full.
type builder struct {
	in      chan []Document
	batches []*segment.Forward
}

// Build begins to fill a new index.
func (x *Index) Build() *Build {
	b := &Build{index: x, seen: map[uint64]struct{}{}, workers: make([]*builder, x.options.Workers)}
	for i := range b.workers {
		w := &builder{in: make(chan []Document, 1)}
		b.workers[i] = w
		b.running.Go(func() { w.read(x) })
	}
	return b
}

func (w *builder) read(x *Index) {
	r := newReader(x.analyzer, x.options.Language)
	for documents := range w.in {
		for i := range documents {
			r.add(&documents[i])
			if r.forward.Units() >= halfFull {
				w.batches = append(w.batches, r.done())
				r = newReader(x.analyzer, x.options.Language)
			}
		}
	}
	if r.forward.Units() > 0 {
		w.batches = append(w.batches, r.done())
	}
}

// Add takes documents and keys that are to leave, as Apply does; the documents belong to the Build
// from then on. Some hundred at a time are about right.
func (b *Build) Add(put []Document, remove []string) {
	if !b.done && b.repeats(put, remove) {
		b.Done() // what replaces a document has to find it
	}
	if b.done {
		b.index.Apply(put, remove)
		return
	}
	b.workers[b.next].in <- put
	b.next = (b.next + 1) % len(b.workers)
}

// repeats says whether a key was there before, and remembers the keys.
func (b *Build) repeats(put []Document, remove []string) bool {
	for _, key := range remove {
		if _, again := b.seen[segment.Hash(key)]; again {
			return true
		}
	}
	for i := range put {
		h := segment.Hash(put[i].Key)
		if _, again := b.seen[h]; again {
			return true
		}
		b.seen[h] = struct{}{}
	}
	return false
}

// Done publishes the documents and returns the new state.
func (b *Build) Done() *Snapshot {
	if b.done {
		return b.index.Snapshot()
	}
	b.Abort()
	var batches []*segment.Forward
	for _, w := range b.workers {
		batches = append(batches, w.batches...)
	}
	b.workers, b.seen = nil, nil
	return b.index.add(nil, batches)
}

// Abort drops the documents; after Done it does nothing.
func (b *Build) Abort() {
	if b.done {
		return
	}
	b.done = true
	for _, w := range b.workers {
		close(w.in)
	}
	b.running.Wait()
}
