package query

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/facets"
)

// Remark is one thing that is said of a person or a situation beside a question, in words as a question would have them.
type Remark struct {
	Text string
	// Likes says that the words are liked, or what it is all about: they raise items and are no condition.
	Likes bool
	// Dislikes says that the exclusion is a matter of taste, and no more.
	Dislikes bool
}

// maxRemarks bounds what is read of one text.
const maxRemarks = 24

// patterns of what is said of people. The group is what it is about, one or several.
var (
	bears = regexp.MustCompile(`(?i)\b(?:no (?:come[ns]?|como|comemos|tom[ao]|toler[ao]|puede comer|puedo comer|puede tomar|puedo tomar)|não (?:com[eo]|comemos|posso comer|pode comer|tolero|tolera)|esse keine?n?|ne (?:mange|tolère) pas (?:de |d'|le |la |les )?|` +
		`allerg(?:ic|y|ies) (?:to|against)|intoleran(?:t|ce) (?:to|of)|can(?:no|')?t (?:eat|have|tolerate)|cannot (?:eat|have|tolerate)|(?:do|does)(?:n't| not) eat|avoids?|avoiding|no|without|free of|` +
		`allergisch (?:gegen|auf)|vertr[aä]gt keine?n?|isst keine?n?|ohne|allergique (?:à|a|aux|au)|ne mange pas (?:de|d')|sans|al[eé]rgic[oa]s? (?:a|ao|à|al|aos|às)|no come|não come|sin|sem) +(.+)$`)
	bearsBehind = regexp.MustCompile(`(?i)^(?:(?:has|have|with|i have|i've|hat|habe|eine?) )*(?:an? )?([\p{L} ]+?)[ -](?:allerg(?:y|ies|ic|ie|ien)|intolerance|intolerant|unverträglichkeit)\b`)
	bearsFree   = regexp.MustCompile(`(?i)^([\p{L}]+)[ -]free$`)
	hates       = regexp.MustCompile(`(?i)\b(?:dislikes?|hates?|(?:do|does)(?:n't| not) (?:like|want)|not (?:a fan of|into)|mag keine?n?|n'aime pas(?: les?| la)?|no le gustan?|não gosta de) +(.+)$`)
	loves       = regexp.MustCompile(`(?i)\b(?:likes?|loves?|prefers?|enjoys?|favou?rites?(?: \w+)? (?:is|are)|interested in|fan of|into|mag|liebt|bevorzugt|aime|préfère|adore|le gustan?|prefiere|gosta de|prefere) +(.+)$`)
	listed      = regexp.MustCompile(`(?i) *(?:,|/|&|、|\band\b|\bor\b|\bnor\b|\bund\b|\boder\b|\bet\b|\bou\b|\by\b|\be\b|\bni\b|\bnem\b|\bnoch\b) *`)
	clauses     = regexp.MustCompile(`[.;\n!?。；]+|,? +(?:but|aber|mais|pero|mas) +`)
)

// Remarks reads what is said beside a question, such as "vegetarian, allergic to nuts and shellfish; loves Thai food".
func Remarks(text string) (all []Remark) {
	for _, clause := range clauses.Split(text, -1) {
		clause = strings.TrimSpace(clause)
		if clause == "" {
			continue
		}
		// What has no verb is a list of things that each stand for themselves.
		parts := []string{clause}
		if !hates.MatchString(clause) && !loves.MatchString(clause) && !bears.MatchString(clause) {
			parts = strings.Split(clause, ",")
		} else if head, _, found := strings.Cut(clause, ","); found && !hates.MatchString(head) && !loves.MatchString(head) && !bears.MatchString(head) {
			parts = []string{head, clause[len(head)+1:]}
		}
		for _, part := range parts {
			if part = strings.TrimSpace(part); part != "" && len(all) < maxRemarks {
				all = append(all, remarks(part)...)
			}
		}
	}
	return all[:min(len(all), maxRemarks)]
}

func remarks(part string) (all []Remark) {
	for _, pattern := range []*regexp.Regexp{hates, bears, loves} {
		if at := pattern.FindStringIndex(part); at != nil {
			all = dietsIn(part[:at[0]])
			break
		}
	}
	if found := hates.FindStringSubmatch(part); found != nil {
		for _, thing := range things(found[1]) {
			all = append(all, Remark{Text: "without " + thing, Dislikes: true})
		}
		return all
	}
	if found := bears.FindStringSubmatch(part); found != nil {
		return append(all, Bears(found[1])...)
	}
	if found := bearsFree.FindStringSubmatch(part); found != nil {
		return []Remark{{Text: part}}
	}
	if found := bearsBehind.FindStringSubmatch(part); found != nil {
		return Bears(found[1])
	}
	if found := loves.FindStringSubmatch(part); found != nil {
		for _, thing := range things(found[1]) {
			all = append(all, Remark{Text: thing, Likes: true})
		}
		return all
	}
	return []Remark{{Text: part}}
}

// dietsIn are the diets among the words ahead of something else that is said: "I'm vegan and", "vegetarian who".
func dietsIn(ahead string) (all []Remark) {
	words := strings.FieldsFunc(ahead, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	for _, word := range words {
		if strings.Contains(" not no never isn aren nicht kein pas non nao não ", " "+strings.ToLower(word)+" ") {
			return nil
		}
		if _, diet := facets.DietOf(facets.Fold(word)); diet && len(all) < maxRemarks {
			all = append(all, Remark{Text: word})
		}
	}
	return all
}

// Bears are the remarks that somebody cannot have some things, in one text.
func Bears(text string) (all []Remark) {
	for _, thing := range things(text) {
		all = append(all, Remark{Text: "without " + thing})
	}
	return all
}

// things splits an enumeration.
func things(text string) (all []string) {
	for _, thing := range listed.Split(text, -1) {
		thing = strings.TrimFunc(thing, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for _, article := range []string{"the ", "any ", "a ", "an ", "all ", "eating ", "les ", "des ", "de ", "la ", "le ", "el ", "los ", "las ", "os ", "as "} {
			thing = strings.TrimPrefix(thing, article)
		}
		if thing != "" && utf8.RuneCountInString(thing) <= 60 {
			all = append(all, thing)
		}
	}
	return all[:min(len(all), maxRemarks)]
}

// Words are the words of a remark that may raise items: those with something to say, at most eight.
func Words(text string) (words []string) {
	for _, word := range strings.Fields(facets.Fold(text)) {
		if utf8.RuneCountInString(word) >= 3 && !ties[word] && !small[word] && !empty[word] && len(words) < 8 {
			words = append(words, word)
		}
	}
	return words
}

// empty are words that say nothing of items.
var empty = everywhere("empty")
