package content

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPassagesComeBackAsTheyWere(t *testing.T) {
	t.Parallel()
	for _, passages := range [][]Passage{
		nil,
		{{ID: "a", Text: "one"}},
		{{}, {ID: "", Text: "x"}, {ID: "y"}},
		{{ID: "long", Text: strings.Repeat("é", 100_000)}, {ID: "z", Text: "end"}},
	} {
		got, err := unpackPassages(string(packPassages(passages)))
		if diff := cmp.Diff(passages, got); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	}
}

func FuzzUnpackPassages(f *testing.F) {
	f.Add(string(packPassages([]Passage{{ID: "a", Text: "one"}, {ID: "b", Text: "two"}})))
	f.Add("\x01")
	f.Add("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")
	f.Fuzz(func(t *testing.T, packed string) {
		passages, err := unpackPassages(packed)
		if err != nil {
			return
		}
		again, err := unpackPassages(string(packPassages(passages)))
		if diff := cmp.Diff(passages, again); diff != "" || err != nil {
			t.Errorf("%v (-want +got):\n%s", err, diff)
		}
	})
}

func TestItemIDTellsItsPartsApart(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, parts := range [][3]string{{"a", "b", "c"}, {"ab", "", "c"}, {"a", "bc", ""}, {"", "ab", "c"},
		{"c", "b", "a"}} {
		id := ItemID(parts[0], parts[1], parts[2])
		if len(id) != 26 || strings.ToLower(id) != id || seen[id] {
			t.Errorf("%q has the ID %q", parts, id)
		}
		seen[id] = true
		if k, ok := parseKey([]byte(id)); !ok || k.String() != id {
			t.Errorf("%s is not read back", id)
		}
	}
	for _, bad := range []string{"", "short", strings.Repeat("a", 27), strings.Repeat("1", 26)} {
		if _, ok := parseKey([]byte(bad)); ok {
			t.Errorf("%q is taken for an ID", bad)
		}
	}
	// Stable for ever: followers and receipts refer to it.
	if got, want := ItemID("example.org", "recipes", "https://example.org/soup"), "mwymgvjztcft5sctxqyt6ih4wi"; got !=
		want {
		t.Errorf("the ID is %s, want %s", got, want)
	}
}

func TestPassageIDDependsOnTheTextAlone(t *testing.T) {
	t.Parallel()
	first, second, other := PassageID("text", 0), PassageID("text", 1), PassageID("other", 0)
	if first == second || first == other || first != PassageID("text", 0) {
		t.Errorf("%s, %s, %s", first, second, other)
	}
	if got, want := first+" "+second, "tawz4pvzs32vtzrt tawz4pvzs32vtzrt-2"; got != want {
		t.Errorf("the IDs are %s, want %s", got, want)
	}
}
