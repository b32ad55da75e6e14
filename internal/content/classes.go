package content

import (
	_ "embed"
	"strings"
	"sync"
)

// classText is the tree of schema.org classes, one a line: a class and its direct parents. It is
// written by internal/classgen from schema-dts 2.1.0, which follows the vocabulary with its pending
// terms as of 2026.
//
//go:embed classes.txt
var classText string

// root is the class that every other class, known or not, descends from.
const root = "Thing"

// IsA says whether typ is ancestor or a descendant of it in schema.org's class tree, over all
// parents of a class. Names are canonical ("Recipe"; see KnownType). A type that schema.org does
// not know is only itself and a Thing.
func IsA(typ, ancestor string) bool {
	if typ == ancestor || ancestor == root {
		return typ != ""
	}
	t := tree()
	below, known := t.numbers[typ]
	if !known {
		return false
	}
	above, known := t.numbers[ancestor]
	return known && t.above[below].has(above)
}

// KnownType finds a schema.org class by its name in any case and gives the name as schema.org
// writes it.
func KnownType(name string) (canonical string, ok bool) {
	t := tree()
	if _, ok := t.numbers[name]; ok {
		return name, true
	}
	canonical, ok = t.folded[strings.ToLower(name)]
	return canonical, ok
}

// classTree numbers the classes and holds each one's ancestors, itself among them, as a set of
// numbers.
type classTree struct {
	numbers map[string]int
	folded  map[string]string // lower-case name to canonical name
	above   []classSet
}

var tree = sync.OnceValue(func() *classTree { return growTree(classText) })

func growTree(text string) *classTree {
	t := &classTree{numbers: map[string]int{}, folded: map[string]string{}}
	var parents [][]string
	for line := range strings.Lines(text) {
		names := strings.Fields(line)
		t.numbers[names[0]] = len(parents)
		t.folded[strings.ToLower(names[0])] = names[0]
		parents = append(parents, names[1:])
	}
	t.above = make([]classSet, len(parents))
	for class := range parents {
		t.climb(class, parents)
	}
	return t
}

// climb fills in a class's ancestors, its parents' first. The tree has no cycles; classgen's input
// cannot say one.
func (t *classTree) climb(class int, parents [][]string) classSet {
	if t.above[class] != nil {
		return t.above[class]
	}
	set := make(classSet, (len(parents)+63)/64)
	set[class/64] |= 1 << (class % 64)
	for _, parent := range parents[class] {
		for i, bits := range t.climb(t.numbers[parent], parents) {
			set[i] |= bits
		}
	}
	t.above[class] = set
	return set
}

type classSet []uint64

func (s classSet) has(class int) bool { return s[class/64]&(1<<(class%64)) != 0 }
