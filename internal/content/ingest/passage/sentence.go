package passage

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentences appends the offsets at which the sentences of a line end, behind the blanks that
// follow; the last is the line's length. A full stop ends a sentence unless it belongs to an
// abbreviation, an initial, a number or a numbered list, or a small letter follows; in a text that
// knows no capitals (cased is false) small letters do not count.
func Sentences(ends []int, line string, cased bool) []int {
	for i := 0; i < len(line); {
		c := line[i]
		if c < utf8.RuneSelf && c != '.' && c != '!' && c != '?' {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(line[i:])
		if !stops(r) {
			i += size
			continue
		}
		stop := i
		i = closing(line, i+size)
		next := i
		for next < len(line) && line[next] == ' ' {
			next++
		}
		if next == len(line) {
			break
		}
		if full(r) || next > i && parts(line, stop, next, cased) {
			ends = append(ends, next)
		}
		i = next
	}
	if len(line) > 0 {
		ends = append(ends, len(line))
	}
	return ends
}

// stops says whether a sentence may end with r.
func stops(r rune) bool { return r == '.' || r == '!' || r == '?' || r == '…' || full(r) }

// full says whether r ends a sentence wherever it stands: the stops of scripts that use them for
// nothing else.
func full(r rune) bool {
	switch r {
	case '。', '！', '？', '．', '｡', '।', '॥', '؟', '۔', '։', '።', '။', '។':
		return true
	}
	return false
}

// closing goes past further stops and past the quotes and brackets that close with them.
func closing(line string, pos int) int {
	for pos < len(line) {
		r, size := utf8.DecodeRuneInString(line[pos:])
		if !stops(r) && !strings.ContainsRune(`"'”’»›)]}」』）】`, r) {
			break
		}
		pos += size
	}
	return pos
}

// parts says whether the stop at pos ends a sentence, given that blanks and then the text at next
// follow.
func parts(line string, pos, next int, cased bool) bool {
	after, _ := utf8.DecodeRuneInString(line[next:])
	single := line[pos] == '.' && line[pos+1] != '.'
	if single && pos > 0 && line[pos-1] == ' ' {
		return true // set apart by blanks on both sides, as old texts do
	}
	if unicode.IsLower(after) && (cased || !single) {
		return false
	}
	return !single || !abbreviates(lastWord(line[:pos]), after)
}

// lastWord is the end of s that has no blank or opening bracket.
func lastWord(s string) string {
	at := strings.LastIndexAny(s, " \u00a0([\"'“„«/-")
	if at < 0 {
		return s
	}
	_, size := utf8.DecodeRuneInString(s[at:])
	return s[at+size:]
}

// longestAbbreviation bounds the look-up of abbreviations, in bytes.
const longestAbbreviation = 8

// abbreviates says whether the full stop behind word, with after as the next character, is no
// sentence's end.
func abbreviates(word string, after rune) bool {
	switch {
	case word == "" || len(word) > longestAbbreviation:
		return false
	case strings.Contains(word, "."): // U.S., e.g., z.B.
		return utf8.RuneCountInString(word) <= 5
	case isNumber(word): // 1. Mix the flour; am 3. Mai
		return len(word) <= 2 && unicode.IsLetter(after)
	case utf8.RuneCountInString(word) == 1:
		r, _ := utf8.DecodeRuneInString(word)
		return unicode.IsLetter(r)
	}
	word = strings.ToLower(word)
	return beforeNames[word] || unicode.IsDigit(after) && beforeNumbers[word]
}

func isNumber(word string) bool { return strings.Trim(word, "0123456789") == "" }

// beforeNames are abbreviations that a capital follows as a rule. Those that mostly end a sentence
// when a capital follows (etc., min.) are left to the rule of small letters.
var beforeNames = set(`mr mrs ms mx dr prof rev hon gen col sgt capt lt cmdr gov sen rep pres st ste mt messrs vs cf viz
	approx dept univ assn bros ave blvd hr hrn fr frl dipl ing bzw vgl evtl ggf inkl zzgl sog bspw geb gest hrsg
	sra srta dña av avda ej dott sig mme mlle mm me env svp tj dhr mevr bijv resp ул им гр тов проф акад`)

// beforeNumbers are abbreviations only where a number follows.
var beforeNumbers = set(`no nos nr nrs núm num art fig figs vol vols ch chap sec pp pg eq ed abs kap bd taf tab ver n°
	jan feb apr jun jul aug sep sept oct okt nov dec dez ca c circa est tel ext rd стр рис №`)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		all[word] = true
	}
	return all
}
