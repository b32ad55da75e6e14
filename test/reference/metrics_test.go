package reference

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// kinds are the functions of package metrics by which figures are made, and what they are.
var kinds = map[string]string{
	"Counter": "counter", "Gauge": "gauge", "Histogram": "histogram", "Func": "gauge", "NewDesc": "gauge",
}

// figures is the page of metrics, made of the calls that register them.
func figures(t *testing.T) map[string]string {
	found := map[string][]string{}
	err := filepath.WalkDir("../../internal", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") ||
			strings.Contains(file, "infra/metrics/") {
			return err
		}
		return readFigures(file, found)
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) < 40 {
		t.Errorf("only %d metrics", len(found))
	}
	groups := map[string][][]string{}
	var order []string
	for _, name := range slices.Sorted(maps.Keys(found)) {
		group := groupOf(name)
		if groups[group] == nil {
			order = append(order, group)
		}
		groups[group] = append(groups[group], append([]string{"`frontdesk_" + name + "`"}, found[name]...))
	}
	slices.Sort(order)
	text := ""
	for _, group := range order {
		text += "## " + group + "\n\n" + table([]string{"metric", "kind", "labels", "meaning"}, groups[group]) + "\n"
	}
	return map[string]string{"reference/metrics.md": page(t, "metrics.md", "groups", text)}
}

// groupOf is the heading under which a metric stands.
func groupOf(name string) string {
	for _, group := range []struct{ heading, prefixes string }{
		{"Answers and content", "asks index ingest read questions promises vector terms"},
		{"Language model", "model"},
		{"Sales", "ramp broker"},
		{"Gate", "edge"},
	} {
		first, _, _ := strings.Cut(name, "_")
		if slices.Contains(strings.Fields(group.prefixes), first) {
			return group.heading
		}
	}
	return "Server and clients"
}

// readFigures notes the metrics that a file registers: name to kind, labels and meaning.
func readFigures(file string, found map[string][]string) error {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return err
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.CallExpr:
			called, is := node.Fun.(*ast.SelectorExpr)
			if !is || kinds[called.Sel.Name] == "" {
				return true
			}
			var texts []string
			for _, argument := range node.Args {
				if text, is := textOf(argument); is {
					texts = append(texts, text)
				}
			}
			from, is := called.X.(*ast.Ident)
			if is && (from.Name == "metrics" || from.Name == "prometheus") && len(texts) > 1 {
				note(found, kinds[called.Sel.Name], texts[0], texts[1], texts[2:])
			}
		case *ast.CompositeLit: // the table of an edge's figures
			if len(node.Elts) == 3 {
				name, isName := textOf(node.Elts[0])
				help, isHelp := textOf(node.Elts[1])
				if isName && isHelp && strings.HasPrefix(name, "edge_") {
					note(found, "gauge", name, help, nil)
				}
			}
		}
		return true
	})
	return nil
}

func note(found map[string][]string, kind, name, help string, labels []string) {
	for i, label := range labels {
		labels[i] = "`" + label + "`"
	}
	found[strings.TrimPrefix(name, "frontdesk_")] = []string{kind, strings.Join(labels, ", "), help}
}

// textOf is the value of a text, or of several that are joined.
func textOf(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			text, err := strconv.Unquote(e.Value)
			return text, err == nil
		}
	case *ast.Ident: // a constant of the file
		if e.Obj == nil || e.Obj.Kind != ast.Con {
			return "", false
		}
		declared, is := e.Obj.Decl.(*ast.ValueSpec)
		if !is || len(declared.Values) != 1 {
			return "", false
		}
		return textOf(declared.Values[0])
	case *ast.BinaryExpr:
		left, isLeft := textOf(e.X)
		right, isRight := textOf(e.Y)
		return left + right, e.Op == token.ADD && isLeft && isRight
	}
	return "", false
}
