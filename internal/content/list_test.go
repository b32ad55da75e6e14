package content_test

import (
	"slices"
	"testing"

	"frontdesk/internal/content"
)

func TestListHasEachItemOnceAndGoesOnBehindAPlace(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		fill(t, catalog, "soup", "stew", "tart", "cake", "bread")
		fill(t, catalog, "soup:2", "stew", "tart", "cake", "bread")
		other, err := catalog.Begin(t.Context(), site, "other")
		if err != nil {
			t.Fatal(err)
		}
		put(t, other, item("tea", 1))
		commit(t, other, content.CommitOptions{})
		list := func(after int64, wanted func(content.SourceKey) bool, most int) (names []string, last int64) {
			err := catalog.List(t.Context(), after, wanted, func(r content.Row) bool {
				names, last = append(names, r.Name), r.Place
				return len(names) < most
			})
			if err != nil {
				t.Fatal(err)
			}
			return names, last
		}
		want := []string{"stew 1", "tart 1", "cake 1", "bread 1", "soup 2", "tea 1"}
		if got, _ := list(0, nil, 100); !slices.Equal(got, want) {
			t.Errorf("all: %q, want %q", got, want)
		}
		first, place := list(0, nil, 2)
		if rest, _ := list(place, nil, 100); !slices.Equal(append(first, rest...), want) {
			t.Errorf("in two parts: %q and %q", first, rest)
		}
		only := func(key content.SourceKey) bool { return key.Source == "other" }
		if got, _ := list(0, only, 100); !slices.Equal(got, []string{"tea 1"}) {
			t.Errorf("of one source: %q", got)
		}
	})
}

func TestSourceIsBusyWhileARunFillsIt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, catalog *content.Catalog, _ *clock) {
		busy := func() bool {
			all, err := catalog.Sources(t.Context())
			if err != nil || len(all) != 1 {
				t.Fatal(all, err)
			}
			return all[0].Busy
		}
		run := begin(t, catalog)
		if !busy() {
			t.Error("it is not busy while a run goes on")
		}
		if err := run.Abort(t.Context()); err != nil || busy() {
			t.Error("it is busy when the run is over", err)
		}
	})
}
