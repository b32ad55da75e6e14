package content

import (
	"strings"
	"testing"
)

func TestClassDescendsFromAllItsParents(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		typ, ancestor string
		want          bool
	}{
		{"Recipe", "Recipe", true},
		{"Recipe", "HowTo", true},
		{"Recipe", "CreativeWork", true},
		{"Recipe", "Thing", true},
		{"HowTo", "Recipe", false},
		{"Recipe", "Product", false},
		{"Restaurant", "Organization", true},
		{"Restaurant", "Place", true},
		{"Hospital", "CivicStructure", true},
		{"Hospital", "MedicalOrganization", true},
		{"Hospital", "Person", false},
		{"AutoPartsStore", "Store", true},
		{"AutoPartsStore", "AutomotiveBusiness", true},
		{"NewsArticle", "Article", true},
		{"MusicEvent", "Event", true},
		{"3DModel", "MediaObject", true},
		{"Thing", "Recipe", false},
	} {
		if got := IsA(c.typ, c.ancestor); got != c.want {
			t.Errorf("IsA(%q, %q) = %v, want %v", c.typ, c.ancestor, got, c.want)
		}
	}
}

func TestUnknownTypeIsOnlyItselfAndAThing(t *testing.T) {
	t.Parallel()
	if !IsA("WidgetSpec", "WidgetSpec") || !IsA("WidgetSpec", "Thing") {
		t.Error("an unknown type must be itself and a Thing")
	}
	if IsA("WidgetSpec", "Product") || IsA("Product", "WidgetSpec") || IsA("", "Thing") || IsA("", "") {
		t.Error("an unknown or empty type must be nothing else")
	}
}

func TestKnownTypeFindsAnyCase(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"recipe": "Recipe", "HOWTO": "HowTo", "Product": "Product",
		"3dmodel": "3DModel", "faqpage": "FAQPage"} {
		if got, ok := KnownType(name); !ok || got != want {
			t.Errorf("KnownType(%q) = %q, %v; want %q", name, got, ok, want)
		}
	}
	for _, name := range []string{"", "WidgetSpec", "schema:Recipe", "Recipe "} {
		if got, ok := KnownType(name); ok {
			t.Errorf("KnownType(%q) = %q; want unknown", name, got)
		}
	}
}

func TestEveryClassIsAThingByClimbing(t *testing.T) {
	t.Parallel()
	tree := tree()
	if len(tree.above) < 900 {
		t.Fatalf("%d classes; the list looks cut", len(tree.above))
	}
	thing := tree.numbers["Thing"]
	for line := range strings.Lines(classText) {
		names := strings.Fields(line)
		for _, name := range names {
			class, known := tree.numbers[name]
			if !known || !tree.above[class].has(thing) {
				t.Errorf("%s does not reach Thing", name)
			}
		}
		if len(names) == 1 && names[0] != "Thing" {
			t.Errorf("%s has no parent", names[0])
		}
	}
}

func BenchmarkIsA(b *testing.B) {
	for b.Loop() {
		if !IsA("Recipe", "CreativeWork") || IsA("Recipe", "Product") {
			b.Fatal("wrong")
		}
	}
}
