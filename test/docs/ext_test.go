package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"frontdesk/internal/testkit/process"
)

// extKey is a key of ext of our own, as the doors of RAMP write and read it.
var extKey = regexp.MustCompile(`"(ramp\.[a-z_]+)"`)

// TestEveryExtensionKeyIsOnThePage holds the list of the keys of ext that are our own, in
// docs/ramp-divergences.md, against the source, both ways.
func TestEveryExtensionKeyIsOnThePage(t *testing.T) {
	t.Parallel()
	root, err := process.Root()
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(read(t, filepath.Join(root, "docs", "ramp-divergences.md")),
		"\nKeys of `ext` of our own")
	if !found {
		t.Fatal("docs/ramp-divergences.md has no list of the keys of ext")
	}
	inSource := map[string]bool{}
	for _, room := range []string{"rampapi", "broker"} {
		names, err := filepath.Glob(filepath.Join(root, "internal", "licensing", room, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range extKey.FindAllStringSubmatch(string(text), -1) {
				inSource[key[1]] = true
			}
		}
	}
	if len(inSource) < 10 {
		t.Fatalf("only %d keys in the source", len(inSource))
	}
	onPage := map[string]bool{}
	for _, key := range regexp.MustCompile("`(ramp\\.[a-z_]+)`").FindAllStringSubmatch(list, -1) {
		if onPage[key[1]] = true; !inSource[key[1]] {
			t.Errorf("docs/ramp-divergences.md lists %s, which nothing here reads or writes", key[1])
		}
	}
	for key := range inSource {
		if !onPage[key] {
			t.Errorf("docs/ramp-divergences.md does not list %s", key)
		}
	}
}
