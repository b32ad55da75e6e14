package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestTestsRunBesideOthers holds that a test calls t.Parallel(). One that cannot calls t.Setenv,
// t.Chdir or synctest.Test, itself or by a function of its package, or says in its comment what it
// shares: "Not parallel: it counts goroutines."
func TestTestsRunBesideOthers(t *testing.T) {
	t.Parallel()
	packages := map[string]map[string]*ast.FuncDecl{} // by folder and name
	for _, root := range []string{"internal", "wire", "biscuit", "check", "client", "cmd", "test"} {
		err := filepath.WalkDir(filepath.Join("../..", root), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
			if err != nil {
				return err
			}
			folder := filepath.Dir(path)
			if packages[folder] == nil {
				packages[folder] = map[string]*ast.FuncDecl{}
			}
			for _, d := range file.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					packages[folder][f.Name.Name] = f
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	tests := 0
	for folder, functions := range packages {
		for name, f := range functions {
			if !isTest(f) {
				continue
			}
			tests++
			if why := alone(f, functions, map[string]bool{}); why == "" {
				t.Errorf("%s: %s neither calls t.Parallel() nor says why not (\"Not parallel: ...\" in its comment)",
					folder, name)
			}
		}
	}
	if tests < 2000 {
		t.Errorf("%d tests were looked at: the search is broken", tests)
	}
}

// TestAloneIsFoundOut tells tests that may run alone from those that may not.
func TestAloneIsFoundOut(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		`func TestA(t *testing.T) { t.Parallel() }`:                                             "parallel",
		`func TestA(t *testing.T) { t.Setenv("A", "B") }`:                                       "Setenv",
		`func TestA(t *testing.T) { help(t) }; func help(t *testing.T) { t.Chdir("/") }`:        "Chdir",
		`func TestA(t *testing.T) { synctest.Test(t, func(t *testing.T) {}) }`:                  "Test",
		"// TestA is.\n//\n// Not parallel: it counts goroutines.\nfunc TestA(t *testing.T) {}": "comment",
		`func TestA(t *testing.T) { t.Log() }`:                                                  "",
		`func TestA(t *testing.T) { help(t) }; func help(t *testing.T) { help(t) }`:             "",
		"// Not parallel:\nfunc TestA(t *testing.T) {}":                                         "",
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package a\n"+source, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		functions := map[string]*ast.FuncDecl{}
		for _, d := range file.Decls {
			f := d.(*ast.FuncDecl)
			functions[f.Name.Name] = f
		}
		if got := alone(functions["TestA"], functions, map[string]bool{}); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}

func isTest(f *ast.FuncDecl) bool {
	return f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && f.Name.Name != "TestMain" &&
		len(f.Type.Params.List) == 1
}

// alone tells what a test calls by which it is parallel or may not be; empty for nothing.
func alone(f *ast.FuncDecl, functions map[string]*ast.FuncDecl, seen map[string]bool) (why string) {
	if _, reason, ok := strings.Cut(f.Doc.Text(), "Not parallel: "); ok && len(strings.TrimSpace(reason)) > 0 {
		return "comment"
	}
	seen[f.Name.Name] = true
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || why != "" {
			return why == ""
		}
		switch called := call.Fun.(type) {
		case *ast.SelectorExpr:
			on, _ := called.X.(*ast.Ident)
			switch name := called.Sel.Name; {
			case on == nil:
			case name == "Parallel" && len(call.Args) == 0:
				why = "parallel"
			case name == "Setenv" || name == "Chdir" || on.Name == "synctest" && name == "Test":
				why = name
			}
		case *ast.Ident:
			if next := functions[called.Name]; next != nil && !seen[called.Name] {
				why = alone(next, functions, seen)
			}
		}
		return why == ""
	})
	return why
}
