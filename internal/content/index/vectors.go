package index

import (
	"frontdesk/internal/content"
	"frontdesk/internal/content/search"
)

// Vectors takes the directions of the view's items, which of gives by version.
func (v *View) Vectors(of func(content.Ref) []search.Vector) *search.Vectors {
	return v.snapshot.Vectors(
		func(ref any) string { return ref.(*Doc).ID },
		func(ref any) []search.Vector { return of(ref.(*Doc).Ref) })
}
