package intake

import (
	_ "embed" // personal.txt
	"regexp"
	"slices"
	"strings"
	"unicode"
)

//go:embed personal.txt
var personalText string

// personalNames are what members are called that hold what is somebody's, by the sections of
// personal.txt, which says what each is. The TypeScript client has a copy: after a change, run
// npm run generate in clients/typescript.
var personalNames = sectionsOf(personalText)

// sectionsOf reads lists of names, parted by commas, each below its name in brackets.
func sectionsOf(text string) map[string][]string {
	sections := map[string][]string{}
	section := ""
	for line := range strings.Lines(text) {
		switch line = strings.TrimSpace(line); {
		case line == "" || line[0] == '#':
		case line[0] == '[':
			section, _, _ = strings.Cut(line[1:], "]")
		default:
			for name := range strings.SplitSeq(strings.TrimSuffix(line, ","), ",") {
				sections[section] = append(sections[section], strings.TrimSpace(name))
			}
		}
	}
	return sections
}

// Personal says whether a member's name, or a pointer to it, is one for personal data: of contact,
// identity, account or birth. It errs towards yes.
func Personal(name string) bool {
	words := wordsOf(name)
	joined := " " + strings.Join(words, " ") + " "
	return slices.ContainsFunc(personalNames["phrases"], func(phrase string) bool {
		return strings.Contains(joined, " "+phrase+" ")
	}) ||
		len(words) > 0 && slices.Contains(personalNames["whole"], words[len(words)-1]) &&
			(len(words) == 1 || strings.HasPrefix(name, "/")) ||
		slices.ContainsFunc(personalNames["parts"], func(part string) bool { return strings.Contains(name, part) })
}

// wordsOf are the words of a name, in lower case and without accents, however they are joined:
// full_name, fullName, Full-Name, full_name_2.
func wordsOf(name string) []string {
	var b strings.Builder
	var before rune
	for _, r := range name {
		if unicode.IsUpper(r) && unicode.IsLower(before) || unicode.IsDigit(r) && unicode.IsLetter(before) {
			b.WriteByte(' ')
		}
		b.WriteString(plainLetter(unicode.ToLower(r)))
		before = r
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// plainLetter is a letter without what is above or below it.
func plainLetter(r rune) string {
	switch r {
	case 'ä', 'á', 'à', 'â', 'ã', 'å':
		return "a"
	case 'é', 'è', 'ê', 'ë':
		return "e"
	case 'í', 'ì', 'î', 'ï':
		return "i"
	case 'ö', 'ó', 'ò', 'ô', 'õ':
		return "o"
	case 'ü', 'ú', 'ù', 'û':
		return "u"
	case 'ç':
		return "c"
	case 'ñ':
		return "n"
	case 'ß':
		return "ss"
	}
	return string(r)
}

// PersonalText says whether a text holds an e-mail address or a phone number. Days, times, amounts,
// versions and the usual identifiers are none.
func PersonalText(value string) bool {
	return emailInside.MatchString(value) || phoneInside.MatchString(value) ||
		slices.ContainsFunc(homePhone.FindAllString(value, -1), func(found string) bool {
			return !dayInside.MatchString(found)
		})
}

var (
	emailInside = regexp.MustCompile(`[^\s@<>"'(),;:]+@[^\s@<>"'(),;:.]+(?:\.[^\s@<>"'(),;:.]+)+`)
	// A phone number with a country's number before it, or in the American form.
	phoneInside = regexp.MustCompile(`(?:^|[^\w+])\+\d{1,3}(?:[ .\-/]?\(?\d\)?){6,13}(?:\D|$)` +
		`|(?:^|[^\w.\-+])00[1-9](?:[ .\-/]?\d){8,12}(?:[^\w.\-]|$)` +
		`|(?:^|[^\w.\-+])\(?[2-9]\d{2}\)?[ .\-][2-9]\d{2}[ .\-]\d{4}(?:[^\w.\-]|$)`)
	// One as it is written at home almost everywhere else: it begins with 0, and is parted.
	homePhone = regexp.MustCompile(`(?:^|[^\w.\-+])\(?0[1-9]\d{0,4}\)?[ /\-](?:\d[ \-/]?){4,9}\d(?:[^\w.\-:]|$)`)
	dayInside = regexp.MustCompile(`\b\d\d([/\- ])\d\d[/\- ]\d{4}\b`)
)
