package search

import (
	"runtime"
	"sync"
	"sync/atomic"

	"frontdesk/internal/content/search/analysis"
	"frontdesk/internal/content/search/segment"
)

// Index is the searchable state of a set of documents. Apply changes it; Snapshot reads it. There
// is one writer at a time, which Apply sees to, and any number of readers, who never wait.
type Index struct {
	analyzer *analysis.Analyzer
	options  Options
	writer   sync.Mutex
	current  atomic.Pointer[Snapshot]
}

// New returns an empty index.
func New(options Options) *Index {
	if options.Workers <= 0 {
		options.Workers = runtime.GOMAXPROCS(0)
	}
	if options.Language == "" {
		options.Language = "en"
	}
	x := &Index{analyzer: analysis.NewAnalyzer(), options: options}
	x.current.Store(newSnapshot(x.analyzer, x.options.Table, nil))
	return x
}

// Snapshot returns the current state without waiting.
func (x *Index) Snapshot() *Snapshot { return x.current.Load() }

// Prepare makes what questions to the snapshot would otherwise wait for, one of them each time:
// where to look for what a misspelt word may stand for, how its languages deny something, which of
// its words are made of others, where its words point, and how items of equal scores are ordered.
func (s *Snapshot) Prepare() {
	var all sync.WaitGroup
	for _, v := range s.views {
		all.Go(func() {
			neighboursIn(v)
			denialsIn(v, s.analyzer)
			compositesIn(v, s.analyzer)
			if s.table != nil {
				kindredIn(v, s.analyzer, s.table)
			}
			v.Ranks()
		})
	}
	all.Wait()
}

// Apply puts documents, replacing those of equal key, and removes keys, then publishes the new
// state at once and returns it. Of several documents with one key the last counts; a key that is
// both removed and put is put.
//
// What a question finds depends on the documents alone, not on how many calls of Apply brought
// them: frequencies, lengths and scores are those of a new index with the same documents.
func (x *Index) Apply(put []Document, remove []string) *Snapshot {
	put, keys := latest(put, remove)
	return x.add(keys, x.read(put))
}

// add lets keys leave the index and adds batches, whose keys must not be in it any more.
func (x *Index) add(leave []string, batches []*segment.Forward) *Snapshot {
	x.writer.Lock()
	defer x.writer.Unlock()
	views := segment.Replace(x.Snapshot().views, leave, batches, x.options.Workers)
	x.current.Store(newSnapshot(x.analyzer, x.options.Table, views))
	for {
		few := segment.Merge(views)
		if few == nil {
			return x.Snapshot()
		}
		views = few
		x.current.Store(newSnapshot(x.analyzer, x.options.Table, views))
	}
}

// latest drops documents whose key comes again, and gives all keys that leave the index.
func latest(put []Document, remove []string) ([]Document, []string) {
	last := make(map[string]int, len(put))
	for i := range put {
		last[put[i].Key] = i
	}
	keys := append(make([]string, 0, len(put)+len(remove)), remove...)
	kept := put
	if len(last) < len(put) {
		kept = make([]Document, 0, len(last))
	}
	for i := range put {
		if last[put[i].Key] != i {
			continue
		}
		keys = append(keys, put[i].Key)
		if len(last) < len(put) {
			kept = append(kept, put[i])
		}
	}
	return kept, keys
}

// halfFull is how many units a reader puts into one batch, so that two of them go into one segment.
const halfFull = segment.MaxUnits/2 - maxUnitsOfItem

// read analyses documents on all workers.
func (x *Index) read(put []Document) []*segment.Forward {
	const least = 64 // documents that are worth a worker
	workers := max(1, min(x.options.Workers, len(put)/least))
	batches := make([][]*segment.Forward, workers)
	var reading sync.WaitGroup
	for i := range workers {
		reading.Go(func() {
			r := newReader(x.analyzer, x.options.Language)
			for d := i * len(put) / workers; d < (i+1)*len(put)/workers; d++ {
				r.add(&put[d])
				if r.forward.Units() >= halfFull {
					batches[i] = append(batches[i], r.done())
					r = newReader(x.analyzer, x.options.Language)
				}
			}
			if r.forward.Units() > 0 {
				batches[i] = append(batches[i], r.done())
			}
		})
	}
	reading.Wait()
	var all []*segment.Forward
	for _, s := range batches {
		all = append(all, s...)
	}
	return all
}
