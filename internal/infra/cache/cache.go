// Package cache makes bounded caches for many goroutines: New bounds how many values there are,
// NewWeighted how much they weigh together.
//
// It hides a library's generic type behind an interface. In a field of a struct, every package that
// imports the struct's would compile each of that type's 4,000 functions.
package cache

import (
	"fmt"
	"iter"

	"github.com/maypok86/otter/v2"
)

// Cache keeps values by their keys, and forgets those that are asked for least. It may be used from
// many goroutines.
type Cache[K comparable, V any] interface {
	GetIfPresent(key K) (V, bool)
	Set(key K, value V) (V, bool)
	InvalidateAll()
	WeightedSize() uint64
	All() iter.Seq2[K, V]
}

// New returns a cache of up to a number of values.
func New[K comparable, V any](most int) (Cache[K, V], error) {
	return made(&otter.Options[K, V]{MaximumSize: most})
}

// NewWeighted returns a cache of values that weigh up to a sum, in bytes.
func NewWeighted[K comparable, V any](most uint64, weigh func(key K, value V) uint32) (Cache[K, V], error) {
	return made(&otter.Options[K, V]{MaximumWeight: most, Weigher: weigh})
}

func made[K comparable, V any](options *otter.Options[K, V]) (Cache[K, V], error) {
	options.Executor = func(task func()) { task() } // which is less work than a goroutine
	c, err := otter.New(options)
	if err != nil {
		return nil, fmt.Errorf("make a cache: %w", err)
	}
	return c, nil
}
