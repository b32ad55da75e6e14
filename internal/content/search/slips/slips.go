// Package slips tells how far a word is from another that somebody may have meant: what it costs to
// take one for the other, where slips of the hand and of the ear cost less.
//
// It knows letters alone, not which words there are. Enter at Cost. The package is pure.
package slips

// Longest is how many letters a word has at most.
const Longest = 24

// What it costs to take one word for another, in tenths of a letter.
const (
	Letter     = 10
	Doubled    = 5 // a letter too many or too few beside the same
	Swapped    = 7 // two letters in the wrong order
	Beside     = 7 // a letter that lies beside the other on the keyboard
	Alike      = 6 // letters that sound alike
	First      = 8 // and that at the first letter, which people rarely miss
	Impossible = 1000
)

// otherCost is the cost of one small letter of the basic alphabet in the place of another.
var otherCost = func() (table [26][26]int) {
	for a := range table {
		for b := range table[a] {
			table[a][b] = Letter
		}
	}
	join := func(a, b byte, cost int) {
		if a != b {
			table[a-'a'][b-'a'], table[b-'a'][a-'a'] = min(cost, table[a-'a'][b-'a']), min(cost, table[a-'a'][b-'a'])
		}
	}
	for r, row := range keyboard {
		for i := range row {
			for j := max(i-1, 0); r+1 < len(keyboard) && j <= i && j < len(keyboard[r+1]); j++ {
				join(row[i], keyboard[r+1][j], Beside)
			}
			if i > 0 {
				join(row[i], row[i-1], Beside)
			}
		}
	}
	for _, group := range alike {
		for i := range group {
			for j := range i {
				join(group[i], group[j], Alike)
			}
		}
	}
	return table
}()

var (
	keyboard = [...]string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}
	// letters that are taken for each other by ear
	alike = [...]string{"aeiouy", "ckqx", "sz", "sc", "fv", "td", "bp", "mn", "gj", "vw"}
)

// Cost is what it costs to take a word for another, both without accents and no longer than
// Longest, or Impossible when that is more than most.
func Cost(from, to []rune, most int) int {
	if len(from)-len(to) > 2 || len(to)-len(from) > 2 {
		return Impossible
	}
	var rows [3][Longest + 1]int
	before, last, row := &rows[0], &rows[1], &rows[2]
	for j := 1; j <= len(to); j++ {
		last[j] = last[j-1] + ofOne(to, j-1)
	}
	for i := 1; i <= len(from); i++ {
		row[0] = last[0] + ofOne(from, i-1)
		least := row[0]
		for j := 1; j <= len(to); j++ {
			cost := min(last[j]+ofOne(from, i-1), row[j-1]+ofOne(to, j-1), last[j-1]+ofOther(from, to, i-1, j-1))
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] && from[i-1] != to[j-1] {
				swapped := Swapped
				if i == 2 && j == 2 {
					swapped += First / 2
				}
				cost = min(cost, before[j-2]+swapped)
			}
			row[j] = cost
			least = min(least, cost)
		}
		if least > most {
			return Impossible
		}
		before, last, row = last, row, before
	}
	if last[len(to)] > most {
		return Impossible
	}
	return last[len(to)]
}

// ofOne is the cost of a letter that only one of the words has.
func ofOne(word []rune, i int) int {
	switch {
	case i > 0 && word[i] == word[i-1], i+1 < len(word) && word[i] == word[i+1]:
		return Doubled
	case i == 0:
		return Letter + First
	}
	return Letter
}

// ofOther is the cost of a letter in the place of another.
func ofOther(from, to []rune, i, j int) int {
	a, b := from[i], to[j]
	if a == b {
		return 0
	}
	cost := Letter
	if 'a' <= a && a <= 'z' && 'a' <= b && b <= 'z' {
		cost = otherCost[a-'a'][b-'a']
	}
	if i == 0 && j == 0 {
		cost += First
	}
	return cost
}

// Words of so many letters are corrected by more than a letter.
const (
	farLetters     = 6
	fartherLetters = 8
)

// Budget is what a correction of a word of so many letters may cost.
func Budget(letters int) int {
	switch {
	case letters < farLetters:
		return Letter
	case letters < fartherLetters:
		return Letter * 3 / 2
	}
	return 2 * Letter
}
