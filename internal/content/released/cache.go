package released

import "github.com/maypok86/otter/v2"

// cache is a bounded cache that is safe for concurrent use. It is an interface so that the library's generic type is
// compiled here alone: in a field of Corpus, every package that imports this one would compile each of its 4,000 functions.
type cache[K comparable, V any] interface {
	GetIfPresent(key K) (V, bool)
	Set(key K, value V) (V, bool)
	InvalidateAll()
	WeightedSize() uint64
}

func newCache[K comparable, V any](options *otter.Options[K, V]) (cache[K, V], error) {
	made, err := otter.New(options)
	if err != nil {
		return nil, err
	}
	return made, nil
}
