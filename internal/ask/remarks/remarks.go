// Package remarks reads what is said of a person or a situation beside a question, from the lists
// "remark" of the languages' tables. It is pure. Enter at Read.
package remarks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"frontdesk/internal/content/facets"
	"frontdesk/internal/infra/language"
)

// Remark is one thing that is said of a person or a situation beside a question, in words as a
// question would have them.
type Remark struct {
	Text string
	// Likes says that the words are liked, or what it is all about: they raise items and are no
	// condition.
	Likes bool
	// Dislikes says that the exclusion is a matter of taste, and no more.
	Dislikes bool
}

// maxRemarks bounds what is read of one text.
const maxRemarks = 24

// phrases are those of a key in all languages, folded.
func phrases(key string) func() []string {
	return sync.OnceValue(func() (all []string) {
		for list := range language.Each(key) {
			for _, phrase := range list.Phrases {
				all = append(all, facets.Fold(phrase))
			}
		}
		return all
	})
}

// Patterns of what is said of people. The group is what it is about, one or several.
var (
	bears       = anyPattern(`(?i)\b(?:%s) +(.+)$`, "remark.cannot")
	bearsBehind = anyPattern(`(?i)^(?:%s)`, "remark.cannotbehind")
	bearsFree   = anyPattern(`(?i)^(?:%s)$`, "remark.free")
	hates       = anyPattern(`(?i)\b(?:%s) +(.+)$`, "remark.hates")
	loves       = anyPattern(`(?i)\b(?:%s) +(.+)$`, "remark.loves")
	listed      = anyPattern(`(?i) *(?:,|/|&|、|\b(?:%s)\b) *`, "remark.and")
	clauses     = anyPattern(`[.;\n!?。；]+|,? +(?:%s) +`, "remark.but")
)

// anyPattern is a pattern with those of a key in its place, of all languages, the longest first.
func anyPattern(frame, key string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp {
		var all []string
		for list := range language.Each(key) {
			all = append(all, list.Phrases...)
		}
		slices.SortStableFunc(all, func(a, b string) int { return len(b) - len(a) })
		return regexp.MustCompile(fmt.Sprintf(frame, strings.Join(all, "|")))
	})
}

// Read reads what is said beside a question, such as "vegetarian, allergic to nuts and shellfish;
// loves Thai food".
func Read(text string) (all []Remark) {
	for _, clause := range clauses().Split(text, -1) {
		clause = strings.TrimSpace(clause)
		if clause == "" {
			continue
		}
		// What has no verb is a list of things that each stand for themselves.
		parts := []string{clause}
		if !hates().MatchString(clause) && !loves().MatchString(clause) && !bears().MatchString(clause) {
			parts = strings.Split(clause, ",")
		} else if head, _, found := strings.Cut(clause, ","); found && !hates().MatchString(head) &&
			!loves().MatchString(head) && !bears().MatchString(head) {
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
	for _, pattern := range []*regexp.Regexp{hates(), bears(), loves()} {
		if at := pattern.FindStringIndex(part); at != nil {
			all = dietsIn(part[:at[0]])
			break
		}
	}
	if found := hates().FindStringSubmatch(part); found != nil {
		for _, thing := range things(found[1]) {
			all = append(all, Remark{Text: "without " + thing, Dislikes: true})
		}
		return all
	}
	if found := bears().FindStringSubmatch(part); found != nil {
		return append(all, Bears(found[1])...)
	}
	if found := bearsFree().FindStringSubmatch(part); found != nil {
		return []Remark{{Text: part}}
	}
	if found := bearsBehind().FindStringSubmatch(part); found != nil {
		return Bears(strings.Join(found[1:], ""))
	}
	if found := loves().FindStringSubmatch(part); found != nil {
		for _, thing := range things(found[1]) {
			all = append(all, Remark{Text: thing, Likes: true})
		}
		return all
	}
	return []Remark{{Text: part}}
}

// remarkNots are words before a diet that is not meant.
var remarkNots = phrases("remark.not")

// dietsIn are the diets among the words ahead of something else that is said: "I'm vegan and",
// "vegetarian who".
func dietsIn(ahead string) (all []Remark) {
	words := strings.FieldsFunc(ahead, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })
	for _, word := range words {
		if slices.Contains(remarkNots(), facets.Fold(word)) {
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

// remarkArticles may stand before a thing of an enumeration.
var remarkArticles = phrases("remark.article")

// things splits an enumeration.
func things(text string) (all []string) {
	for _, thing := range listed().Split(text, -1) {
		thing = strings.TrimFunc(thing, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		for _, article := range remarkArticles() {
			thing = strings.TrimPrefix(thing, article+" ")
		}
		if thing != "" && utf8.RuneCountInString(thing) <= 60 {
			all = append(all, thing)
		}
	}
	return all[:min(len(all), maxRemarks)]
}
