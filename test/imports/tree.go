package imports

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// file is what the rules need to know of one Go file.
type file struct {
	name    string // relative to the module's root
	pkg     string // its directory
	test    bool
	imports []string
	clock   []string // uses of the clock: "time.Now at file.go:7"
}

// readTree reads every Go file of the module at root, whatever its build constraints. Nested modules and testdata
// are left out.
func readTree(root fs.FS) ([]file, error) {
	var files []file
	err := fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return enter(root, name)
		}
		if path.Ext(name) != ".go" {
			return nil
		}
		f, err := readFile(root, name)
		files = append(files, f)
		return err
	})
	return files, err
}

// enter decides whether the walk goes into a folder.
func enter(root fs.FS, name string) error {
	base := path.Base(name)
	if name == "." {
		return nil
	}
	if strings.HasPrefix(base, ".") || base == "testdata" || base == "node_modules" {
		return fs.SkipDir
	}
	if _, err := fs.Stat(root, path.Join(name, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

func readFile(root fs.FS, name string) (file, error) {
	f := file{name: name, pkg: path.Dir(name), test: strings.HasSuffix(name, "_test.go")}
	source, err := fs.ReadFile(root, name)
	if err != nil {
		return f, err
	}
	set := token.NewFileSet()
	syntax, err := parser.ParseFile(set, name, source, parser.SkipObjectResolution)
	if err != nil {
		return f, err
	}
	timeName := ""
	for _, spec := range syntax.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return f, fmt.Errorf("%s: import %s: %w", name, spec.Path.Value, err)
		}
		f.imports = append(f.imports, imported)
		if imported == "time" {
			timeName = "time"
			if spec.Name != nil {
				timeName = spec.Name.Name
			}
		}
	}
	if timeName != "" {
		f.clock = clockUses(set, syntax, timeName)
	}
	return f, nil
}

// clockUses finds where a file names a part of package time that reads the clock, be it called or handed on.
func clockUses(set *token.FileSet, syntax *ast.File, timeName string) []string {
	var uses []string
	ast.Inspect(syntax, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok || !slices.Contains(clock, selector.Sel.Name) {
			return true
		}
		if base, ok := selector.X.(*ast.Ident); ok && base.Name == timeName {
			uses = append(uses, fmt.Sprintf("time.%s at %s", selector.Sel.Name, set.Position(selector.Pos())))
		}
		return true
	})
	return uses
}
