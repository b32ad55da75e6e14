package store_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

var (
	statement = regexp.MustCompile(`(?i)^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\s`)
	fragment  = regexp.MustCompile(`(?s)\b(FROM|WHERE|AND|SET|VALUES|ORDER BY)\b.*\$\d`)
	parameter = regexp.MustCompile(`\$(\d+)`)
)

// misordered names the first parameter of an SQL text that appears before one with a lower number
// has. The SQLite driver binds by order of first appearance, so that in "SELECT $2, $1" it would
// exchange the values, silently.
func misordered(sql string) string {
	highest := 0
	if first := parameter.FindStringSubmatch(sql); first != nil && !statement.MatchString(sql) {
		n, _ := strconv.Atoi(first[1])
		highest = n - 1 // a fragment goes on where another has ended
	}
	for _, found := range parameter.FindAllStringSubmatch(sql, -1) {
		n, _ := strconv.Atoi(found[1])
		if n > highest+1 || n == 0 {
			return fmt.Sprintf("$%d appears before $%d", n, highest+1)
		}
		highest = max(highest, n)
	}
	return ""
}

func TestMisorderedParametersAreFound(t *testing.T) {
	t.Parallel()
	for sql, wrong := range map[string]bool{
		`SELECT $1, $2, $1, $3`:  false,
		`SELECT 1`:               false,
		`SELECT $2, $1`:          true,
		`SELECT $1, $3`:          true,
		`UPDATE t SET a=$0`:      true,
		`SELECT $1, $2, $3, $10`: true,
		` WHERE a=$3 AND b=$4`:   false,
		` WHERE a=$3 AND b=$5`:   true,
	} {
		if got := misordered(sql) != ""; got != wrong {
			t.Errorf("%s: misordered is %t, want %t", sql, got, wrong)
		}
	}
	if got := texts(t,
		"package p\nconst a = `SELECT $1 ` + x + ` AND $3`\nvar b = \"INSERT INTO t VALUES ($1)\"\nvar c, d = "+
			"`none`, `WHERE $1`"); len(got) != 3 ||
		got[0].sql != "SELECT $1 … AND $3" {
		t.Errorf("the texts found are %v", got)
	}
}

// TestParametersAppearInAscendingOrder looks at every SQL text in every room.
func TestParametersAppearInAscendingOrder(t *testing.T) {
	t.Parallel()
	seen := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") ||
			strings.HasSuffix(path, "sqltext_test.go") {
			return err
		}
		for _, text := range texts(t, path) {
			seen++
			if problem := misordered(text.sql); problem != "" {
				t.Errorf("%s: %s in %s", text.at, problem, text.sql)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if seen < 20 {
		t.Errorf("only %d SQL texts were found: is the test looking in the right place?", seen)
	}
}

type sqlText struct {
	at  token.Position
	sql string
}

// texts finds the SQL in a Go file, named by its path or given as its source.
func texts(t *testing.T, file string) (found []sqlText) {
	t.Helper()
	var source any
	if strings.HasPrefix(file, "package ") {
		source = file
	}
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, file, source, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		expr, ok := node.(ast.Expr)
		if !ok {
			return true
		}
		text, ok := joined(expr)
		if !ok {
			return true
		}
		if statement.MatchString(text) || fragment.MatchString(text) {
			found = append(found, sqlText{files.Position(expr.Pos()), text})
		}
		return false
	})
	return found
}

// joined is the text of a string literal, or of a sum of them; what is put in by name is left out
// and marked.
func joined(expr ast.Expr) (text string, ok bool) {
	switch e := expr.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil && e.Kind == token.STRING
	case *ast.ParenExpr:
		return joined(e.X)
	case *ast.BinaryExpr:
		if e.Op != token.ADD {
			return "", false
		}
		left, leftOK := joined(e.X)
		right, rightOK := joined(e.Y)
		switch {
		case leftOK && rightOK:
			return left + right, true
		case leftOK:
			return left + "…", true
		case rightOK:
			return "…" + right, true
		}
	}
	return "", false
}
