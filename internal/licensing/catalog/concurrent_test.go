package catalog_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/licensing/catalog"
)

// Readers see whole states, whatever a refresh and a save do meanwhile: two items that are always
// published together are both of one version, or the one that is read later is of a later one.
func TestReadersSeeWholeStates(t *testing.T) {
	t.Parallel()
	each(t, catalog.Config{Snapshot: filepath.Join(t.TempDir(), "catalog")}, func(t *testing.T, h *house) {
		both := func(version int) []content.Item {
			var items []content.Item
			for i := range 40 {
				items = append(items,
					item(fmt.Sprintf("https://a.example/%d", i), fmt.Sprintf("version %d of it", version)))
			}
			return items
		}
		h.publish("a", "s", both(0)...)
		stop := make(chan struct{})
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for {
					select {
					case <-stop:
						return
					default:
					}
					first, last := h.catalog.Find("https://a.example/0"), h.catalog.Find("https://a.example/39")
					if len(first) != 1 || len(last) != 1 || last[0].Since < first[0].Since || first[0].Title == "" {
						t.Errorf("%+v, then %+v", first, last)
						return
					}
					n := 0
					for range h.catalog.All() {
						n++
					}
					if n != 40 || !slices.Contains(h.catalog.Hosts(), "a.example") {
						t.Errorf("%d entries", n)
						return
					}
				}
			})
		}
		for version := range 15 {
			h.publish("a", "s", both(version+1)...)
			if err := h.catalog.Save(); err != nil {
				t.Error(err)
			}
		}
		close(stop)
		readers.Wait()
	})
}
