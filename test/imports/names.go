package imports

import (
	_ "embed"
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"strings"
)

// bannedText is the list of names that may not come back; its head says how it is written.
//
//go:embed banned.txt
var bannedText string

// bannedName says that packages at a place may not be called, or export, a name again.
type bannedName struct {
	name    string // a pattern of path.Match
	pkg     bool   // of packages, not of what they export
	in      string // the package; it covers what is below, and "." everything
	instead string // what the thing is called now
}

// exportedName is an exported name that a file declares: of a type, function, constant, variable,
// field or method.
type exportedName struct {
	name string
	at   string // "file.go:7"
}

// parseBanned reads the list. Each line has a name, a place, and the name that stands there now.
func parseBanned(text string) ([]bannedName, error) {
	var list []bannedName
	for i, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 3 {
			return nil, fmt.Errorf("banned.txt:%d: want a name, a place and what to use instead, got %q", i+1, line)
		}
		b := bannedName{in: fields[1], instead: strings.Join(fields[2:], " ")}
		b.name, b.pkg = strings.CutSuffix(fields[0], "/")
		if _, err := path.Match(b.name, ""); err != nil {
			return nil, fmt.Errorf("banned.txt:%d: %q: %w", i+1, b.name, err)
		}
		list = append(list, b)
	}
	return list, nil
}

// checkNames holds the names of a package and of what it exports against the list. The protocols'
// packages under wire keep the protocols' words, and tests may say what they like.
func checkNames(pkg string, files []file, list []bannedName) []fault {
	if covers("wire", pkg) || covers("test", pkg) {
		return nil
	}
	exported := []exportedName{}
	for _, f := range files {
		exported = append(exported, f.exported...)
	}
	var faults []fault
	for _, b := range list {
		if b.in != "." && !covers(b.in, pkg) {
			continue
		}
		if b.pkg && b.matches(path.Base(pkg)) {
			faults = append(faults, b.fault(pkg, path.Base(pkg), "the package name "+pkg))
		}
		for _, e := range exported {
			if !b.pkg && b.matches(e.name) {
				faults = append(faults,
					b.fault(pkg, e.name, fmt.Sprintf("%s: the name %s in package %s", e.at, e.name, pkg)))
			}
		}
	}
	return faults
}

func (b bannedName) matches(name string) bool {
	ok, err := path.Match(b.name, name)
	return ok && err == nil
}

func (b bannedName) fault(pkg, name, what string) fault {
	text := fmt.Sprintf("%s may not come back (test/imports/banned.txt): use %s", what, b.instead)
	return fault{rule: naming, from: pkg, to: name, text: text}
}

// addExported notes the exported names of a declaration at the top of a file. Tests declare none.
func (r *reader) addExported(d ast.Decl) {
	if r.test || r.generated {
		return
	}
	switch d := d.(type) {
	case *ast.FuncDecl:
		r.export(d.Name)
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.ValueSpec:
				r.export(s.Names...)
			case *ast.TypeSpec:
				r.export(s.Name)
				r.addMembers(s.Type)
			}
		}
	}
}

// addMembers notes the exported fields and methods of a type.
func (r *reader) addMembers(t ast.Expr) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		r.export(f.Names...)
	}
}

func (r *reader) export(names ...*ast.Ident) {
	for _, n := range names {
		if token.IsExported(n.Name) {
			r.exported = append(r.exported, exportedName{name: n.Name, at: r.place(n)})
		}
	}
}
