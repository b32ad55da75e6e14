package imports

import (
	"fmt"
	"go/ast"
	"go/token"
	"strings"
	"unicode/utf8"
)

const (
	maxCodeColumns    = 120
	maxCommentColumns = 100
	tabColumns        = 4
)

// addWide notes the lines of a file that end beyond the last column. Text in backquotes is free,
// since a line break would change it, and so are comments without a blank to break at, such as
// addresses and directives.
func (r *reader) addWide(syntax *ast.File, source string) {
	if r.generated {
		return
	}
	lines := strings.Split(source, "\n")
	// columns that text in backquotes takes; -1 where such text goes over the line's end
	free := make([]int, len(lines))
	ast.Inspect(syntax, func(n ast.Node) bool {
		if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING && l.Value[0] == '`' {
			from, to := r.set.Position(l.Pos()).Line-1, r.set.Position(l.End()).Line-1
			for i := from; i <= to; i++ {
				if free[i] >= 0 {
					free[i] += columns(l.Value)
				}
				if from != to {
					free[i] = -1
				}
			}
		}
		return true
	})
	for i, line := range lines {
		most, kind := maxCodeColumns, "code"
		if text, ok := strings.CutPrefix(strings.TrimLeft(line, "\t"), "//"); ok && free[i] == 0 {
			if !strings.Contains(strings.TrimSpace(text), " ") {
				continue
			}
			most, kind = maxCommentColumns, "comments"
		}
		if n := columns(line); free[i] >= 0 && n-free[i] > most {
			r.wide = append(r.wide, fmt.Sprintf("%s:%d has %d columns: %s at %d", r.name, i+1, n, kind+" end", most))
		}
	}
}

// columns counts what a line takes on the screen.
func columns(line string) int {
	return utf8.RuneCountInString(line) + (tabColumns-1)*strings.Count(line, "\t")
}
