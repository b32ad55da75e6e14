package eval

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxLine bounds a line of either file, so that a wrong file cannot fill the memory.
const maxLine = 1 << 20

// ReadQueries reads queries, one a line: ID, a tab, the text. Empty lines are passed over. An error
// names the line.
func ReadQueries(r io.Reader) ([]Query, error) {
	var queries []Query
	first := make(map[string]int)
	err := eachLine(r, func(number int, line string) error {
		id, text, ok := strings.Cut(line, "\t")
		id, text = strings.TrimSpace(id), strings.TrimSpace(text)
		switch {
		case !ok:
			return fmt.Errorf("no tab; a line is the query's ID, a tab and its text")
		case id == "" || text == "":
			return fmt.Errorf("the ID or the text is empty; a line is the query's ID, a tab and its text")
		case first[id] != 0:
			return fmt.Errorf("query %q stands on line %d already; give each query its own ID", id, first[id])
		}
		first[id] = number
		queries = append(queries, Query{ID: id, Text: text})
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("queries: %w", err)
	}
	return queries, nil
}

// ReadQrels reads judgments in TREC form, one a line: query ID, iteration (not used), document,
// grade, separated by blanks. Empty lines are passed over. An error names the line.
func ReadQrels(r io.Reader) (Qrels, error) {
	qrels := make(Qrels)
	err := eachLine(r, func(_ int, line string) error {
		f := strings.Fields(line)
		if len(f) != 4 {
			return fmt.Errorf("%d columns; a line is query ID, iteration, document and grade, separated by blanks",
				len(f))
		}
		grade, err := strconv.Atoi(f[3])
		if err != nil {
			return fmt.Errorf("grade %q is not a whole number", f[3])
		}
		judged := qrels[f[0]]
		if judged == nil {
			judged = make(map[string]int)
			qrels[f[0]] = judged
		}
		if old, ok := judged[f[2]]; ok && old != grade {
			return fmt.Errorf("document %q of query %q was graded %d before and %d here", f[2], f[0], old, grade)
		}
		judged[f[2]] = grade
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("judgments: %w", err)
	}
	return qrels, nil
}

// eachLine calls fn with each line that is not empty, counted from 1, and puts the line's number
// before its error.
func eachLine(r io.Reader, fn func(number int, line string) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	number := 0
	for lines.Scan() {
		number++
		line := lines.Text()
		if number == 1 {
			line = strings.TrimPrefix(line, "\uFEFF")
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if err := fn(number, line); err != nil {
			return fmt.Errorf("line %d: %w", number, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("line %d: %w", number+1, err)
	}
	return nil
}
