package index

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"frontdesk/internal/content"
	"frontdesk/internal/content/vector/words"
	"frontdesk/internal/testkit/storetest"
)

func newCatalog(t testing.TB) *content.Catalog {
	t.Helper()
	return content.New(storetest.Chosen(t, content.Schema), content.Options{})
}

func publish(t *testing.T, catalog *content.Catalog, names ...string) {
	t.Helper()
	ctx := context.Background()
	run, err := catalog.Begin(ctx, "site", "source")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		url := "https://site.example/" + name
		if err := run.Put(ctx,
			content.Item{URL: url, Types: []string{"Thing"}, Name: "lamp " + name, Object: []byte("{}")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := run.Commit(ctx, content.CommitOptions{AllowShrink: true}); err != nil {
		t.Fatal(err)
	}
}

// everything admits all items.
var everything = Admission{Version: "all", Admit: func(*Doc) bool { return true }}

func names(v *View, question string) []string {
	found := v.Find(Question{Text: question, Limit: 100, Within: v.Select(func(*Doc) bool { return true })})
	var all []string
	for _, hit := range found.Hits {
		all = append(all, hit.URL[len("https://site.example/"):])
	}
	slices.Sort(all)
	return all
}

func TestRefreshFollowsWhatWasPublished(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	catalog := newCatalog(t)
	library := New(catalog, words.Builtin())
	for _, edition := range [][]string{{"a", "b"}, {"b", "c"}, {"c"}, {"a", "c", "d"}} {
		publish(t, catalog, edition...)
		before := library.View()
		if changed, err := library.Refresh(ctx, everything); err != nil || !changed {
			t.Fatalf("refresh to %v: changed %v, %v", edition, changed, err)
		}
		if got := names(library.View(), "lamp"); !slices.Equal(got, edition) {
			t.Errorf("after %v the library has %v", edition, got)
		}
		if before.Len() == library.View().Len() && before == library.View() {
			t.Error("the view was changed in place")
		}
		if changed, err := library.Refresh(ctx, everything); err != nil || changed {
			t.Errorf("a second refresh: changed %v, %v", changed, err)
		}
		fresh := New(catalog, words.Builtin())
		if _, err := fresh.Refresh(ctx, everything); err != nil || !slices.Equal(names(fresh.View(), "lamp"), edition) {
			t.Errorf("a library made anew has %v, %v", names(fresh.View(), "lamp"), err)
		}
	}
}

func TestForgottenSourceIsGoneAndMayComeBack(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	catalog := newCatalog(t)
	library := New(catalog, words.Builtin())
	for range 2 {
		publish(t, catalog, "a", "b")
		if _, err := library.Refresh(ctx, everything); err != nil || library.View().Len() != 2 {
			t.Fatalf("%d items, %v", library.View().Len(), err)
		}
		if err := catalog.Remove(ctx, "site", "source"); err != nil {
			t.Fatal(err)
		}
		if changed, err := library.Refresh(ctx, everything); err != nil || !changed || library.View().Len() != 0 {
			t.Errorf("after the source was forgotten: %d items, changed %v, %v", library.View().Len(), changed, err)
		}
		if changed, err := library.Refresh(ctx, everything); err != nil || changed {
			t.Errorf("nothing happened, and changed is %v, %v", changed, err)
		}
	}
}

func TestFollowerLeftFarBehindStartsOver(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	catalog := newCatalog(t)
	library := New(catalog, words.Builtin())
	publish(t, catalog, "a", "b")
	if _, err := library.Refresh(ctx, everything); err != nil {
		t.Fatal(err)
	}
	for i := range 300 {
		publish(t, catalog, "a", fmt.Sprintf("n%d", i))
	}
	if _, err := library.Refresh(ctx, everything); err != nil {
		t.Fatal(err)
	}
	if got := names(library.View(), "lamp"); !slices.Equal(got, []string{"a", "n299"}) {
		t.Errorf("the library has %v", got)
	}
}

func TestFailedRefreshLeavesTheOldView(t *testing.T) {
	t.Parallel()
	catalog := newCatalog(t)
	library := New(catalog, words.Builtin())
	publish(t, catalog, "a")
	if _, err := library.Refresh(context.Background(), everything); err != nil {
		t.Fatal(err)
	}
	publish(t, catalog, "b")
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := library.Refresh(cancelled, everything); err == nil {
		t.Fatal("a cancelled refresh succeeded")
	}
	if got := names(library.View(), "lamp"); !slices.Equal(got, []string{"a"}) {
		t.Errorf("after a failed refresh the library has %v", got)
	}
	if _, err := library.Refresh(context.Background(), everything); err != nil ||
		!slices.Equal(names(library.View(), "lamp"), []string{"b"}) {
		t.Errorf("after the next one it has %v, %v", names(library.View(), "lamp"), err)
	}
}

func TestItemsBeyondOneBatchAreAllThere(t *testing.T) {
	t.Parallel()
	catalog := newCatalog(t)
	var many []string
	for i := range batch + 10 {
		many = append(many, fmt.Sprintf("n%05d", i))
	}
	publish(t, catalog, many...)
	library := New(catalog, words.Builtin())
	if _, err := library.Refresh(context.Background(), everything); err != nil {
		t.Fatal(err)
	}
	if n := library.View().Len(); n != len(many) {
		t.Errorf("%d of %d items", n, len(many))
	}
	if got := names(library.View(), "n16390"); !slices.Equal(got, []string{"n16390"}) {
		t.Errorf("the last batch's item is found as %v", got)
	}
}

func TestWhatIsNotAdmittedHasNoPartInTheIndex(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	catalog := newCatalog(t)
	publish(t, catalog, "a", "b", "secret")
	library := New(catalog, words.Builtin())
	public := Admission{Version: "public", Admit: func(l *Doc) bool { return l.URL != "https://site.example/secret" }}
	for _, step := range []struct {
		admission Admission
		want      []string
	}{{public, []string{"a", "b"}}, {everything, []string{"a", "b", "secret"}}, {public, []string{"a", "b"}}} {
		if changed, err := library.Refresh(ctx, step.admission); err != nil || !changed {
			t.Fatalf("changed %v, %v", changed, err)
		}
		if got := names(library.View(), "lamp"); !slices.Equal(got, step.want) ||
			library.View().Len() != len(step.want) {
			t.Errorf("under %s: %v", step.admission.Version, got)
		}
		if changed, err := library.Refresh(ctx, step.admission); err != nil || changed {
			t.Errorf("nothing happened, and changed is %v, %v", changed, err)
		}
	}
	publish(t, catalog, "a", "secret", "c")
	if _, err := library.Refresh(ctx, public); err != nil ||
		!slices.Equal(names(library.View(), "lamp"), []string{"a", "c"}) {
		t.Errorf("after a change: %v, %v", names(library.View(), "lamp"), err)
	}
}
