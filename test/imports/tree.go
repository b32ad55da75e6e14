package imports

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// file is what the rules need to know of one Go file. Places are "file.go:7".
type file struct {
	name      string // relative to the module's root
	pkg       string // its directory
	test      bool
	generated bool
	lines     int // of code: no blank ones, and none that are a comment alone
	imports   []string
	clock     []string       // where it uses the clock: "time.Now at file.go:7"
	appends   []string       // where it writes to the ledger
	reads     []string       // where it reads whole items from the store
	sql       []string       // where it has SQL text
	schema    bool           // declares a store.Schema
	structs   map[string]int // fields by the name of the struct
	methods   map[string]int // exported methods by the name of the type
	exported  []exportedName
	wide      []string // the lines that are too long, each in a sentence
}

// readTree reads every Go file of the module at root, whatever its build constraints. Nested
// modules and testdata are left out.
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
	syntax, err := parser.ParseFile(set, name, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return f, err
	}
	f.generated = ast.IsGenerated(syntax)
	f.lines = countLines(source)
	f.structs, f.methods = map[string]int{}, map[string]int{}
	r := reader{set: set, file: &f, local: map[string]string{}}
	for _, spec := range syntax.Imports {
		if err := r.addImport(spec); err != nil {
			return f, err
		}
	}
	ast.Inspect(syntax, r.visit)
	for _, d := range syntax.Decls {
		r.addExported(d)
	}
	r.addWide(syntax, string(source))
	return f, nil
}

// countLines counts the lines of a source that have code.
func countLines(source []byte) (n int) {
	f := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(f, source, nil, 0)
	for last := 0; ; {
		at, what, text := s.Scan()
		if what == token.EOF {
			return n
		}
		if what == token.SEMICOLON && text == "\n" {
			continue // which nobody wrote
		}
		first := f.Line(at)
		end := first + strings.Count(text, "\n")
		n += end - max(first-1, last)
		last = end
	}
}

// reader fills a file from its syntax.
type reader struct {
	*file
	set   *token.FileSet
	local map[string]string // import paths by the names that the file gives them
}

func (r *reader) addImport(spec *ast.ImportSpec) error {
	imported, err := strconv.Unquote(spec.Path.Value)
	if err != nil {
		return fmt.Errorf("%s: import %s: %w", r.name, spec.Path.Value, err)
	}
	r.imports = append(r.imports, imported)
	name := path.Base(imported)
	if spec.Name != nil {
		name = spec.Name.Name
	}
	r.local[name] = imported
	return nil
}

func (r *reader) visit(node ast.Node) bool {
	switch n := node.(type) {
	case *ast.SelectorExpr:
		r.selector(n)
	case *ast.CallExpr:
		r.call(n)
	case *ast.BasicLit:
		r.literal(n)
	case *ast.TypeSpec:
		r.declared(n)
	case *ast.FuncDecl:
		if n.Recv != nil && n.Name.IsExported() {
			r.methods[receiver(n)]++
		}
	}
	return true
}

func (r *reader) declared(t *ast.TypeSpec) {
	switch x := t.Type.(type) {
	case *ast.StructType:
		if !describesFormat(x) {
			r.structs[t.Name.Name] = x.Fields.NumFields()
		}
	case *ast.InterfaceType:
		for _, m := range x.Methods.List {
			if len(m.Names) > 0 && m.Names[0].IsExported() {
				r.methods[t.Name.Name]++
			}
		}
	}
}

// selector notes the clock, be it called or handed on, a declared schema, and what reads items.
// Types are not known here: whoever imports content and names such a method is taken to mean the
// catalog's.
func (r *reader) selector(s *ast.SelectorExpr) {
	if slices.Contains(reads, s.Sel.Name) && slices.Contains(r.imports, module+"/internal/content") {
		r.reads = append(r.reads, r.place(s))
	}
	base, ok := s.X.(*ast.Ident)
	if !ok {
		return
	}
	switch from := r.local[base.Name]; {
	case from == "time" && slices.Contains(clock, s.Sel.Name):
		r.clock = append(r.clock, fmt.Sprintf("time.%s at %s", s.Sel.Name, r.place(s)))
	case from == module+"/internal/infra/store" && s.Sel.Name == "Schema":
		r.schema = true
	}
}

const ledgerPackage = module + "/internal/ledger"

// call notes what looks like a method of the ledger: types are not known here, so the name and the
// number of arguments have to do.
func (r *reader) call(c *ast.CallExpr) {
	s, ok := c.Fun.(*ast.SelectorExpr)
	if !ok || appends[s.Sel.Name] != len(c.Args) || len(c.Args) == 0 {
		return
	}
	if base, ok := s.X.(*ast.Ident); ok && r.local[base.Name] != "" && r.local[base.Name] != ledgerPackage {
		return // a function of a package: the ledger's has none of these, but variables of that name
	}
	r.appends = append(r.appends, r.place(c))
}

// statement matches how SQL text begins, or goes on in a string of its own.
var statement = regexp.MustCompile(`(?is:^\s*(SELECT\s.+\sFROM\s|INSERT\s+(OR|INTO)\s|UPDATE\s+\w+\s+SET\s|` +
	`DELETE\s+FROM\s|(CREATE|DROP|ALTER)\s+(UNIQUE\s+)?(TABLE|INDEX)\s|` +
	`WITH\s+(RECURSIVE\s+)?\w+\s*(\([^)]*\))?\s+AS\s*\())|` +
	`^\s*(SELECT|FROM|WHERE|AND|ORDER BY|GROUP BY|ON CONFLICT)\s+[a-z(]`)

func (r *reader) literal(l *ast.BasicLit) {
	if l.Kind != token.STRING {
		return
	}
	if text, err := strconv.Unquote(l.Value); err == nil && statement.MatchString(text) {
		r.sql = append(r.sql, r.place(l))
	}
}

func (r *reader) place(n ast.Node) string {
	at := r.set.Position(n.Pos())
	return fmt.Sprintf("%s:%d", at.Filename, at.Line)
}

// describesFormat tells structs whose fields all carry a tag, embedded ones aside: they say what a
// file, a message or a command line looks like, and are as long as that is.
func describesFormat(s *ast.StructType) bool {
	return !slices.ContainsFunc(s.Fields.List, func(f *ast.Field) bool { return f.Tag == nil && len(f.Names) > 0 })
}

// receiver names the type that a method is of.
func receiver(f *ast.FuncDecl) string {
	t := f.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}
