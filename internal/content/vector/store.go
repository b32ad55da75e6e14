// Package vector keeps the catalog's texts as vectors, which an embedding model made of them: texts
// of like meaning point in like directions.
//
// It follows the catalog, has the model turn new texts into vectors beside all else, stores them,
// and gives them to the index by item. Nothing waits for it: an item whose vector is not there yet
// is found by its words. Of several processes on a database one makes vectors, under a lease; all
// read them.
//
// It uses content and llm, and must not decide what a model may see of an item: package ask says
// that, by the owner's terms.
package vector

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/content/search"
	"frontdesk/internal/infra/llm"
	"frontdesk/internal/infra/store"
)

// Options are what a Store needs. The zero value of a bound takes its default.
type Options struct {
	Catalog *content.Catalog
	DB      *store.DB // with Schema
	Model   *llm.Client
	// Version is part of what vectors are known by: another one makes all anew, as another model's
	// name does.
	Version string
	// TextPrefix and QuestionPrefix are put before what is turned into vectors, as some models want
	// it.
	TextPrefix, QuestionPrefix string
	// Passages is how many of an item are turned into vectors at most; 0 is 8.
	Passages int
	// Most is how many vectors are held at most; 0 is search.MaxScan. Texts beyond it have none.
	Most int
	// Pace is how many texts are turned into vectors in a minute at most; 0 is as fast as the
	// endpoint is.
	Pace int
	Log  *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Store keeps the vectors of a catalog. Step changes it, and is called by one goroutine; its other
// methods may be called from many.
type Store struct {
	options   Options
	questions *recent

	// What follows is for Step alone.
	rules   string
	cursor  map[content.SourceKey]int64
	resting time.Time // until then the endpoint is left alone, after a failure
	pause   time.Duration
	rate    rate
	swept   time.Time
	told    told
	lease   lease

	mu         sync.RWMutex // guards what follows
	under      string       // the version of the admission
	items      map[string]*item
	texts      map[key]*text
	probes     *item // stands for no item: its texts are questions that have to do with none
	dimensions int
	failure    error
	failed     time.Time

	generation atomic.Int64
}

// key is what a vector is known by.
type key [sha256.Size]byte

// item is what is known of a version of an item.
type item struct {
	ref   content.Ref
	texts []*text // by passage; nil where nothing is to be turned into a vector
}

// text is one text, which several items may have.
type text struct {
	key     key
	users   int
	probe   bool
	values  []float32 // nil until they are there
	looked  time.Time // when the database was asked for them
	refused time.Time // when the model did not take the text
}

// New returns a keeper that knows nothing yet; Step brings it to the catalog's state.
func New(options Options) *Store {
	if options.Passages == 0 {
		options.Passages = 8
	}
	if options.Most == 0 {
		options.Most = search.MaxScan
	}
	if options.Log == nil {
		options.Log = slog.New(slog.DiscardHandler)
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	k := &Store{
		options: options, lease: lease{db: options.DB, name: content.NewHolder()}, questions: newRecent(),
		items: map[string]*item{}, texts: map[key]*text{}, probes: &item{},
	}
	for _, probe := range probes {
		t := &text{key: k.keyOf(options.QuestionPrefix + probe), users: 1, probe: true}
		k.texts[t.key], k.probes.texts = t, append(k.probes.texts, t)
	}
	return k
}

// Admission says what of the items may be turned into vectors.
type Admission struct {
	Version string // changes whenever Texts would answer otherwise; never empty
	// Texts gives an item's texts, by the ordinal of the passage. An empty one has no vector.
	Texts func(*content.Entry) []string
}

// Rules is the version of the admission under which Of answers; empty while the items are read
// anew.
func (k *Store) Rules() string {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.under
}

// Generation changes whenever Of may answer otherwise.
func (k *Store) Generation() int64 { return k.generation.Load() }

// Of gives the vectors of a version of an item, as far as they are there.
func (k *Store) Of(ref content.Ref) []search.Vector {
	k.mu.RLock()
	defer k.mu.RUnlock()
	it := k.items[ref.ID]
	if it == nil || it.ref != ref {
		return nil
	}
	var vectors []search.Vector
	for passage, t := range it.texts {
		if t != nil && t.values != nil {
			vectors = append(vectors, search.Vector{Passage: passage, Values: t.values})
		}
	}
	return vectors
}

// Unrelated gives the vectors of questions that most catalogs have nothing on; none before all are
// there.
func (k *Store) Unrelated() (vectors [][]float32) {
	k.mu.RLock()
	defer k.mu.RUnlock()
	for _, t := range k.probes.texts {
		if t.values == nil {
			return nil
		}
		vectors = append(vectors, t.values)
	}
	return vectors
}

// Step goes on with the work for a while: it follows the catalog, takes from the database what
// others have made, and, where nobody else does, has a number of texts turned into vectors. It says
// whether more is to be done at once. An error is one of the database; what the model does wrong is
// told by State.
func (k *Store) Step(ctx context.Context, admission Admission) (more bool, err error) {
	missing, err := k.load(ctx, admission)
	if err != nil {
		return false, err
	}
	now := k.options.Now()
	working := len(missing) > 0 && !now.Before(k.resting)
	if !working && now.Sub(k.swept) < sweepEvery && !k.news() {
		return false, nil
	}
	held, err := k.lease.claim(ctx, now)
	if err != nil || !held {
		return false, err
	}
	if working {
		more, err = k.work(ctx, admission, missing)
	}
	if err == nil {
		err = k.tell(ctx)
	}
	if err == nil && now.Sub(k.swept) >= sweepEvery {
		if err = k.sweep(ctx); err == nil {
			k.swept = now
		}
	}
	return more, err
}

// Load is the part of Step that asks nothing of the model: it follows the catalog, and takes what
// is in the database.
func (k *Store) Load(ctx context.Context, admission Admission) error {
	_, err := k.load(ctx, admission)
	return err
}

// load gives the items that have texts without a vector, after all that can be had without the
// model.
func (k *Store) load(ctx context.Context, admission Admission) (missing []*item, err error) {
	if err := k.follow(ctx, admission); err != nil {
		return nil, err
	}
	if missing = k.missing(); len(missing) == 0 {
		return nil, nil
	}
	if err := k.take(ctx, missing); err != nil {
		return nil, err
	}
	return k.missing(), nil
}

// follow brings what is known of the items to the catalog's published state.
func (k *Store) follow(ctx context.Context, admission Admission) error {
	now, err := k.options.Catalog.Revisions(ctx)
	if err != nil {
		return fmt.Errorf("read the catalog's revisions: %w", err)
	}
	if admission.Version != k.rules {
		k.forget()
	}
	if k.rules != "" && maps.Equal(k.cursor, now) {
		return nil
	}
	for {
		f := following{keeper: k, texts: admission.Texts}
		cursor, err := k.options.Catalog.Changes(ctx, k.cursor, f.take)
		f.apply()
		if errors.Is(err, content.ErrBehind) {
			k.forget()
			continue
		}
		if err != nil {
			return fmt.Errorf("read the catalog's changes: %w", err)
		}
		k.cursor, k.rules = cursor, admission.Version
		k.mu.Lock()
		k.under = k.rules
		k.mu.Unlock()
		return nil
	}
}

// forget starts over. Vectors that are there are kept while the items are read anew: most will be
// needed again.
func (k *Store) forget() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.cursor, k.rules, k.under = nil, "", ""
	for _, it := range k.items {
		for _, t := range it.texts {
			if t != nil {
				t.users--
			}
		}
	}
	k.items = map[string]*item{}
	k.generation.Add(1)
}

// following gathers changes, so that readers are kept waiting for moments only.
type following struct {
	keeper *Store
	texts  func(*content.Entry) []string
	put    []*item
	keys   [][]key // of the items' texts
	gone   []string
}

const followBatch = 256

func (f *following) take(c content.Change) error {
	if c.Removed {
		f.gone = append(f.gone, c.Entry.ID)
	} else {
		keys := f.keeper.keys(f.texts(&c.Entry))
		f.put, f.keys = append(f.put, &item{ref: c.Entry.Ref}), append(f.keys, keys)
	}
	if len(f.put)+len(f.gone) >= followBatch {
		f.apply()
	}
	return nil
}

// keys gives what the vectors of texts are known by; the zero key where there is to be none.
func (k *Store) keys(texts []string) []key {
	texts = texts[:min(len(texts), k.options.Passages)]
	keys := make([]key, len(texts))
	for i, text := range texts {
		if text != "" {
			keys[i] = k.keyOf(text)
		}
	}
	return keys
}

func (k *Store) keyOf(text string) key {
	h := sha256.New()
	for _, part := range []string{k.options.Model.Name(llm.Embed), k.options.Version, k.options.TextPrefix, text} {
		fmt.Fprintf(h, "%d\x00%s", len(part), part)
	}
	return key(h.Sum(nil))
}

func (f *following) apply() {
	k := f.keeper
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, id := range f.gone { // what is removed comes before what is put
		k.drop(id)
	}
	for i, it := range f.put {
		k.drop(it.ref.ID)
		for _, key := range f.keys[i] {
			var t *text
			if key != (key0) {
				t = k.use(key)
			}
			it.texts = append(it.texts, t)
		}
		k.items[it.ref.ID] = it
	}
	if len(f.put)+len(f.gone) > 0 {
		k.generation.Add(1)
	}
	f.put, f.keys, f.gone = nil, nil, nil
}

var key0 key

// use gives the text of a key, nil when there are too many.
func (k *Store) use(key key) *text {
	t := k.texts[key]
	if t == nil {
		if len(k.texts) >= k.options.Most+len(probes) {
			k.clean()
		}
		if len(k.texts) >= k.options.Most+len(probes) {
			return nil
		}
		t = &text{key: key}
		k.texts[key] = t
	}
	t.users++
	return t
}

// drop forgets an item.
func (k *Store) drop(id string) {
	it := k.items[id]
	if it == nil {
		return
	}
	for _, t := range it.texts {
		if t != nil {
			t.users--
		}
	}
	delete(k.items, id)
}

// clean forgets the texts that nothing needs any more.
func (k *Store) clean() {
	for key, t := range k.texts {
		if t.users == 0 {
			delete(k.texts, key)
		}
	}
}

// missing gives the items that have texts without a vector, in the order of their ids. A text that
// the model did not take is left alone for a while.
func (k *Store) missing() []*item {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.clean()
	var missing []*item
	now := k.options.Now()
	lacks := func(it *item) bool {
		return slices.ContainsFunc(it.texts, func(t *text) bool {
			return t != nil && t.values == nil && now.Sub(t.refused) >= refusedPause
		})
	}
	for _, it := range k.items {
		if lacks(it) {
			missing = append(missing, it)
		}
	}
	slices.SortFunc(missing, func(a, b *item) int {
		return cmp.Or(cmp.Compare(a.ref.Site, b.ref.Site), cmp.Compare(a.ref.Source, b.ref.Source),
			cmp.Compare(a.ref.ID, b.ref.ID))
	})
	if len(k.items) > 0 && lacks(k.probes) {
		missing = append(missing, k.probes)
	}
	return missing
}

// fill puts vectors in their places.
func (k *Store) fill(values map[key][]float32) {
	if len(values) == 0 {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for key, v := range values {
		if t := k.texts[key]; t != nil && t.values == nil && len(v) == k.dimensions {
			t.values = v
		}
	}
	k.generation.Add(1)
}
