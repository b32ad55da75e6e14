package search

import (
	"sync/atomic"

	"frontdesk/internal/content/search/segment"
)

// derived is what questions find out about the text of a segment and keep with it, whatever
// snapshot they ask.
type derived struct {
	denied    atomic.Pointer[map[uint8]*denials] // see denialsIn: nil until it is asked for
	mentioned mentioned
	composed  composites
	near      neighbours
	kindred   kindred
}

// derivedOf gives what is known of a view's segment.
func derivedOf(v *segment.View) *derived {
	return v.Derived(func() any { return new(derived) }).(*derived)
}
