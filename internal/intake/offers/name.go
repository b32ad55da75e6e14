package offers

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// CEL's identifiers are ASCII, and names of members are in anybody's language. So expressions are
// read with each further letter spelled in ASCII, and the members of objects, tables and names
// under let are known by these spellings; messages to people, and answers, has them as
// they were written.

// spelled is a name as CEL takes it.
func spelled(name string) string {
	name = unlike(name)
	if !strings.ContainsFunc(name, foreign) {
		return name
	}
	var b strings.Builder
	for _, r := range name {
		if foreign(r) {
			fmt.Fprintf(&b, "_0u%xu0_", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// unlike is a name that looks like no spelling of another: what agents call things is theirs to
// choose.
func unlike(name string) string { return strings.ReplaceAll(name, "_0u", "_0u5fu0_0u") }

// foreign says whether a letter of a name is none that CEL takes.
func foreign(r rune) bool {
	return r > unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r))
}

var spelledLetter = regexp.MustCompile(`_0u([0-9a-f]{2,6})u0_`)

// unspelled is a text with the names in it as they were written.
func unspelled(text string) string {
	return spelledLetter.ReplaceAllStringFunc(text, func(letter string) string {
		r, err := strconv.ParseInt(spelledLetter.FindStringSubmatch(letter)[1], 16, 32)
		if err != nil || r != '_' && !foreign(rune(r)) {
			return letter
		}
		return string(rune(r))
	})
}

// written is a name as it is written into an expression: between backticks where it is no word.
func written(name string) string {
	if name = unspelled(name); word.MatchString(name) {
		return name
	}
	return "`" + name + "`"
}

var word = regexp.MustCompile(`^[\pL_][\pL\pM\p{Nd}_]*$`)

// spelledOut is an expression as CEL takes it, with the texts in it as they are. from gives for
// each of its runes, and for the end, the rune of the expression that it comes from.
func spelledOut(source string) (out string, from []int) {
	var b strings.Builder
	at, within := 0, 0 // the rune, and up to which byte a text goes
	for i, r := range source {
		if (r == '"' || r == '\'') && i >= within {
			within = len(source)
			if length := quoted(source[i:], i > 0 && strings.ContainsRune("rR", rune(source[i-1]))); length > 0 {
				within = i + length
			}
		}
		text := string(r)
		if i >= within {
			text = spelled(text)
		}
		b.WriteString(text)
		for range text {
			from = append(from, at)
		}
		at++
	}
	return b.String(), append(from, at)
}
