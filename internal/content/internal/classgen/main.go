// Command classgen writes classes.txt, the tree of schema.org classes that package content knows,
// from the TypeScript declarations that the npm package schema-dts (Apache-2.0) ships. Only the
// facts are taken: which class is a direct child of which.
//
//	npm pack schema-dts@2.1.0 && tar xzf schema-dts-2.1.0.tgz
//	go run ./internal/content/internal/classgen package/dist/schema.d.ts \
//		> internal/content/classes.txt
package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
)

var (
	class = regexp.MustCompile(`"@type": "([A-Za-z0-9]+)"`)
	union = regexp.MustCompile(`(?m)^export type (\w+)(?:<[^>]*>)? = (.*);$`)
	args  = regexp.MustCompile(`<[^|]*>`)
)

// dataTypes appear as typed objects in the declarations, but are values and no things.
var dataTypes = []string{"PronounceableText"}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: classgen schema.d.ts > classes.txt")
		os.Exit(2)
	}
	source, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = write(os.Stdout, parents(string(source)))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "classgen:", err)
		os.Exit(1)
	}
}

// parents gives each class its direct parents. The declarations name a class's children as members
// of a union.
func parents(source string) map[string][]string {
	tree := map[string][]string{}
	for _, m := range class.FindAllStringSubmatch(source, -1) {
		if !slices.Contains(dataTypes, m[1]) {
			tree[m[1]] = nil
		}
	}
	for _, m := range union.FindAllStringSubmatch(source, -1) {
		parent := name(m[1])
		if _, known := tree[parent]; !known {
			continue
		}
		for child := range strings.SplitSeq(m[2], "|") {
			child = name(args.ReplaceAllString(strings.TrimSpace(child), ""))
			if above, known := tree[child]; known && child != parent && !slices.Contains(above, parent) {
				tree[child] = append(above, parent)
			}
		}
	}
	return tree
}

// name undoes the underscore that a class beginning with a digit carries as an identifier.
func name(identifier string) string { return strings.TrimPrefix(identifier, "_") }

func write(w io.Writer, tree map[string][]string) error {
	names := make([]string, 0, len(tree))
	for n, above := range tree {
		if len(above) == 0 && n != "Thing" {
			return fmt.Errorf("class %s has no parent", n)
		}
		names = append(names, n)
	}
	slices.Sort(names)
	out := bufio.NewWriter(w)
	for _, n := range names {
		slices.Sort(tree[n])
		fmt.Fprintln(out, strings.TrimSpace(n+" "+strings.Join(tree[n], " ")))
	}
	return out.Flush()
}
