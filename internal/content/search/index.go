package search

import (
	"runtime"
	"sync"
	"sync/atomic"

	"frontdesk/internal/content/search/analysis"
)

// Index is the searchable state of a set of documents. Apply changes it; Snapshot reads it. There is one writer at
// a time, which Apply sees to, and any number of readers, who never wait.
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
	x.current.Store(newSnapshot(x.analyzer, nil))
	return x
}

// Snapshot returns the current state without waiting.
func (x *Index) Snapshot() *Snapshot { return x.current.Load() }

// Prepare makes what questions to the snapshot would otherwise wait for, one of them each time: where to look for what a
// misspelt word may stand for, how its languages deny something, which of its words are made of others, and
// how items of equal scores are ordered.
func (s *Snapshot) Prepare() {
	parallel(len(s.views), func(i int) {
		neighboursIn(s.views[i])
		denialsIn(s.views[i], s.analyzer)
		compositesIn(s.views[i], s.analyzer)
		s.views[i].ranks()
	})
}

// Apply puts documents, replacing those of equal key, and removes keys, then publishes the new state at once and
// returns it. Of several documents with one key the last counts; a key that is both removed and put is put.
//
// What a question finds depends on the documents alone, not on how many calls of Apply brought them: frequencies,
// lengths and scores are those of a new index with the same documents.
func (x *Index) Apply(put []Document, remove []string) *Snapshot {
	put, keys := latest(put, remove)
	return x.add(keys, x.read(put))
}

// add lets keys leave the index and adds stocks, whose keys must not be in it any more.
func (x *Index) add(leave []string, stocks []*stock) *Snapshot {
	x.writer.Lock()
	defer x.writer.Unlock()
	views := replace(x.Snapshot().views, leave, stocks, x.options.Workers)
	x.current.Store(newSnapshot(x.analyzer, views))
	for {
		few := fewer(views)
		if few == nil {
			return x.Snapshot()
		}
		views = few
		x.current.Store(newSnapshot(x.analyzer, views))
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

// halfFull is how many units a reader puts into one stock, so that two of them go into one segment.
const halfFull = maxUnits/2 - maxUnitsOfItem

// read analyses documents on all workers.
func (x *Index) read(put []Document) []*stock {
	const least = 64 // documents that are worth a worker
	workers := max(1, min(x.options.Workers, len(put)/least))
	stocks := make([][]*stock, workers)
	parallel(workers, func(i int) {
		r := newReader(x.analyzer, x.options.Language)
		for d := i * len(put) / workers; d < (i+1)*len(put)/workers; d++ {
			r.add(&put[d])
			if r.stock.units() >= halfFull {
				stocks[i] = append(stocks[i], r.done())
				r = newReader(x.analyzer, x.options.Language)
			}
		}
		if r.stock.units() > 0 {
			stocks[i] = append(stocks[i], r.done())
		}
	})
	var all []*stock
	for _, s := range stocks {
		all = append(all, s...)
	}
	return all
}
