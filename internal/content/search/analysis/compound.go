package analysis

import (
	"strings"
	"unicode/utf8"
)

// part is the place of one word within a run that has connectors.
type part struct{ start, end int }

// joint says what holds a run together.
type joint uint8

const (
	jointNone     joint = iota // nothing, or a contraction (don't, you're): one word
	jointCompound              // a hyphen or an apostrophe: usb-c, l'avion
	jointNumber                // signs between digits: 1/2, 2.4, 1,000
)

// contractions are what may follow an English apostrophe without being a word. The possessive "s"
// is dropped.
var contractions = map[string]bool{"t": true, "re": true, "ll": true, "ve": true, "m": true}

// split finds the words of a run and what joins them. A possessive "'s" is left out.
func split(run string) (parts []part, j joint) {
	if numeric(run) {
		return nil, jointNumber
	}
	start := 0
	apostrophe := false
	add := func(end int) {
		if end > start {
			parts = append(parts, part{start, end})
		}
	}
	for i, r := range run {
		if isHyphen(r) || isApostrophe(r) {
			apostrophe = isApostrophe(r)
			add(i)
			start = i + utf8.RuneLen(r)
		}
	}
	add(len(run))
	if len(parts) < 2 {
		return parts, jointNone
	}
	if apostrophe {
		return apostrophes(run, parts)
	}
	return parts, jointCompound
}

// apostrophes decides what the part after the last apostrophe is.
func apostrophes(run string, parts []part) ([]part, joint) {
	n := len(parts)
	last := strings.ToLower(run[parts[n-1].start:parts[n-1].end])
	switch {
	case last == "s":
		parts = parts[:n-1]
	case n == 2 && contractions[last]:
		return parts, jointNone
	}
	return parts, jointCompound
}

// numeric says whether a run is digits and the signs between them alone.
func numeric(run string) bool {
	for i := range len(run) {
		switch classes[run[i]] {
		case digit, point:
		default:
			return false
		}
	}
	return true
}

// number is the form of a number: without the commas that group its digits.
func number(run string) string {
	return Cut(strings.ReplaceAll(run, ",", ""), MaxTerm)
}

// joined is the word that the parts make when they are written as one.
func joined(run string, parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(run[p.start:p.end])
	}
	return b.String()
}
