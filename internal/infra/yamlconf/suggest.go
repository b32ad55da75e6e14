package yamlconf

import (
	"fmt"
	"strings"
)

// Suggest says what a wrong name should have been: the nearest of the known ones when one is near,
// and all of them otherwise.
func Suggest(wrong string, known []string) string {
	if near, ok := Nearest(wrong, known); ok {
		return fmt.Sprintf("did you mean %s?", near)
	}
	return "here the keys are " + strings.Join(known, ", ")
}

// Nearest finds the known name that is a slip away from the wrong one: a third of its letters at
// most, and three.
func Nearest(wrong string, known []string) (string, bool) {
	wrong = strings.ToLower(wrong)
	best, name := min(len(wrong)/3, 3)+1, ""
	for _, k := range known {
		plain := strings.ToLower(k)
		d := distance(wrong, plain)
		if squash(wrong) == squash(plain) || strings.TrimSuffix(wrong, "s") == strings.TrimSuffix(plain, "s") {
			d = 0 // maxLimit, max-limit, max_limit; source, sources
		}
		if d < best {
			best, name = d, k
		}
	}
	return name, name != ""
}

func squash(name string) string { return strings.NewReplacer("_", "", "-", "").Replace(name) }

// distance counts the letters to insert, remove, replace, or swap with their neighbour to make b of
// a.
func distance(a, b string) int {
	if len(a) > 100 || len(b) > 100 {
		return 100
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
