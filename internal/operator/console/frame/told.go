package frame

import (
	"cmp"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// storedKey begins the keys of texts that programs store in English, each of a group of those that
// can stand at one place: stored.GROUP.NAME. They are told in the language of whoever reads them by
// what their English has at its places: %d for a figure, %s for a text, which may be one of the
// group itself.
const storedKey = "stored."

// storedText is a text that is stored, and how it is recognised.
type storedText struct {
	key, group string
	matches    *regexp.Regexp
}

// verbs are those of a text, with the number of what they are filled with.
var verbs = regexp.MustCompile(`%(?:\[(\d)\])?([ds%])`)

// storedTexts are those of some words, the longest first.
func (w words) storedTexts() (all []storedText) {
	for key, texts := range w {
		name, stored := strings.CutPrefix(key, storedKey)
		if !stored {
			continue
		}
		group, _, _ := strings.Cut(name, ".")
		pattern, from := "^", 0
		for _, at := range verbs.FindAllStringIndex(texts["en"], -1) {
			pattern += regexp.QuoteMeta(texts["en"][from:at[0]])
			switch from = at[1]; texts["en"][from-1] {
			case 'd':
				pattern += `(\d[\d.,]*)`
			case 's':
				pattern += `(.+?)`
			default:
				pattern += "%"
			}
		}
		pattern += regexp.QuoteMeta(texts["en"][from:]) + "$"
		all = append(all, storedText{key, group, regexp.MustCompile("(?s)" + pattern)})
	}
	slices.SortFunc(all, func(a, b storedText) int {
		return cmp.Or(len(w[b.key]["en"])-len(w[a.key]["en"]), cmp.Compare(a.key, b.key))
	})
	return all
}

// told is a text of a group, which a program stored in English, in the language of whoever reads
// it; known is false for a text of somebody else, which stays as it is.
func (s speech) told(group, text string) (says string, known bool) {
	for _, one := range s.stored {
		if one.group != group {
			continue
		}
		if found := one.matches.FindStringSubmatch(text); found != nil {
			return s.filled(one, found[1:]), true
		}
	}
	return text, false
}

// filled is a text with something at its places.
func (s speech) filled(text storedText, with []string) string {
	next := 0
	return verbs.ReplaceAllStringFunc(s.words[text.key][s.Language()], func(verb string) string {
		if verb == "%%" {
			return "%"
		}
		n := next
		if parts := verbs.FindStringSubmatch(verb); parts[1] != "" {
			n, _ = strconv.Atoi(parts[1])
			n--
		}
		next = n + 1
		if n < 0 || n >= len(with) {
			return ""
		}
		says, _ := s.told(text.group, with[n])
		return says
	})
}

// toldHTML is told for a page, which says of another's text that it may be English.
func (s speech) toldHTML(group, text string) template.HTML {
	says, known := s.told(group, text)
	if known {
		return Text(says)
	}
	return English(says)
}
