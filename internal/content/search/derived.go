package search

import "sync/atomic"

// derived is what questions find out about the text of a segment, in whatever snapshot, and keep with it.
type derived struct {
	denied    atomic.Pointer[map[uint8]*denials] // see denialsIn; nil until it is asked for
	mentioned mentioned
	composed  composites
	near      neighbours
}

// derivedOf gives what is known of a view's segment.
func derivedOf(v *view) *derived { return v.Derived(func() any { return new(derived) }).(*derived) }
