package facets

import (
	"slices"
	"strings"
	"sync"

	"frontdesk/internal/infra/language"
)

// Spoken is the slot of the languages that somebody speaks or in which something is offered, by
// their codes.
const Spoken Slot = "knowsLanguage"

// tongues are languages as they are called, and what is said of who speaks one: folded.
var tongues = sync.OnceValue(func() (t struct{ codes, before, behind, named map[string]string }) {
	t.codes, t.before, t.behind, t.named = map[string]string{}, map[string]string{}, map[string]string{},
		map[string]string{}
	for list := range language.Each("tongue") {
		for _, phrase := range list.Phrases {
			t.codes[Fold(phrase)] = list.Argument
		}
	}
	for list := range language.Each("language.spoken") {
		for _, phrase := range list.Phrases {
			map[string]map[string]string{
				"before": t.before, "behind": t.behind, "named": t.named,
			}[list.Argument][Fold(phrase)] = list.Argument
		}
	}
	return t
})

// LanguageCode gives the code of a language by its name in any language that has a table, folded;
// ok is false for any other word.
func LanguageCode(name string) (code string, ok bool) {
	code, ok = tongues().codes[name]
	return code, ok
}

// languageName is what a language is called in another; its code where that has no word for it.
func languageName(code, in string) string {
	for _, table := range language.Tables() {
		for list := range table.Each("tongue") {
			if table.Tag == in && list.Argument == code {
				return list.Phrases[0]
			}
		}
	}
	return code
}

// CompoundLanguage gives the code of the language that a folded word says somebody speaks:
// "englischsprachig".
func CompoundLanguage(word string) (code string, ok bool) {
	for behind := range tongues().behind {
		if name, found := strings.CutSuffix(word, behind); found && name != "" {
			if code, ok = LanguageCode(name); ok {
				return code, true
			}
		}
	}
	return "", false
}

// BeforeLanguage says whether folded words before the name of a language say that somebody speaks
// it, and BehindLanguage whether those behind it do.
func BeforeLanguage(words string) bool { return tongues().before[words] != "" }
func BehindLanguage(words string) bool { return tongues().behind[words] != "" }

// SpokenWithin gives the languages that a text of a script without blanks wants to be spoken, with
// the words that say so.
func SpokenWithin(text string) (codes, said []string) {
	for name, code := range tongues().codes {
		for behind := range tongues().behind {
			if language.IsJoined(behind) && language.IsJoined(name) && strings.Contains(text, name+behind) {
				codes, said = append(codes, code), append(said, name+behind)
			}
		}
	}
	return codes, said
}

// spoken reads the languages of a property: an array, a list in words, codes, or things with names.
func (r *reader) spoken(_ string, v *node) {
	v.each(func(n *node) {
		for part := range splitList(n.name()) {
			r.tongues(part, true)
		}
	})
}

// tongues takes the languages of a text: all that it names, or those behind words that say that
// they are spoken.
func (r *reader) tongues(text string, all bool) {
	words := strings.Fields(Fold(text))
	if all && len(words) == 1 && len(words[0]) <= len("zh") {
		r.word(Spoken, words[0])
		return
	}
	listed := all
	for i := 0; i < len(words); i++ {
		found := false
		for n := min(LongestPhrase, len(words)-i); n > 0 && !found; n-- {
			code, ok := LanguageCode(strings.Join(words[i:i+n], " "))
			if found = ok && listed; found {
				r.word(Spoken, code)
				i += n - 1
			}
		}
		if !found && !all {
			listed = BeforeLanguage(words[i]) || listed && len(words[i]) <= shortLink
		}
	}
}

// isSpoken says whether a property of a name gives languages that are spoken.
func isSpoken(name string) bool { return tongues().named[Fold(name)] != "" }

// people are the types of items whose description may tell what they speak.
var people = []string{"Person", "Physician", "Dentist", "Attorney", "Psychologist", "Patient"}

// speaker reads what a person speaks by the description, where no property says it.
func (r *reader) speaker(root *node) {
	if len(r.Values(Spoken)) > 0 {
		return
	}
	root.member("@type").each(func(t *node) {
		if slices.Contains(people, enumerated(t.text)) {
			r.tongues(root.member("description").name(), false)
		}
	})
}
