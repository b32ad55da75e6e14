package elicitation

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/i18n"
)

// Slot is a question that is asked back when what it fills is not known.
type Slot struct {
	// ID names the question; its answer comes back as an attribute of this name.
	ID string `yaml:"id,required"`
	// Text is the question.
	Text string `yaml:"text,required"`
	// Kind is the form of the answer: `single_select`, `multi_select`, `free_text`, `number` or
	// `boolean`.
	Kind string `yaml:"kind,required"`
	// Options are the choices of a `single_select` or `multi_select`. "No preference" is added.
	Options []string `yaml:"options"`
	// Values are the options as values of `filter`, in the same order; without them, the options
	// themselves.
	Values []string `yaml:"values"`
	// Default is the answer to begin with: an option, a text, a number, `true` or `false`. For a
	// `multi_select` it may be a list of options.
	Default []string `yaml:"default"`
	// Filter is the attribute that the answer fills, such as `suitableForDiet`, `totalTime` or
	// `price`. If the attribute is known, the question is not asked. Without it the answer's words
	// are added to the question.
	Filter string `yaml:"filter"`
	// Bound says how the answer to a `number` limits the attribute: `max` (the default), `min` or
	// `exact`.
	Bound string `yaml:"bound"`
	// Value is the meaning of yes as an answer to a `boolean`: the value of the attribute, or words
	// of the question.
	Value string `yaml:"value"`
	// Types are the schema.org types that the answer asks for, if the question names none: a
	// cooking time asks for a `Recipe`.
	Types []string `yaml:"types"`
	// When says for which questions it is asked back.
	When When `yaml:"when"`
	// Languages are the same question in further languages.
	Languages []Translation `yaml:"languages"`
}

// When says which questions a slot is asked back for; all of its conditions hold together.
type When struct {
	// Types are schema.org types. The question asks for one of them, or most fitting items have
	// one. Without them, any type will do.
	Types []string `yaml:"types"`
	// Words are words; the question has one of them. Without them, any question will do.
	Words []string `yaml:"words"`
	// MoreThan is how many items must fit; without it, as many as `ask.elicit.more_than` says.
	MoreThan int `yaml:"more_than"`
	// AtMost is how many telling words the question may have; without it, as many as
	// `ask.elicit.words` says.
	AtMost int `yaml:"at_most"`
	// Always asks even if few items fit, and even if the question says much.
	Always bool `yaml:"always"`
}

func (w *When) words(c Config) int {
	if w.AtMost > 0 {
		return w.AtMost
	}
	return c.Words
}

// Translation is a slot's question in another language.
type Translation struct {
	// Language is one of Frontdesk's languages: `de`, `en`, `es`, `fr`, `it`, `ja` or `pt`.
	Language string `yaml:"language,required"`
	// Text is the question.
	Text string `yaml:"text,required"`
	// Options are the choices, in the order of the slot's.
	Options []string `yaml:"options"`
}

// The bounds of what is asked.
const (
	MaxSlots   = 50
	maxOptions = 20
	maxText    = 500 // bytes of a question or an option
	maxID      = 64
)

// reserved are names that a question cannot have: attributes of query that mean something else.
var reserved = []string{"text", "site", "itemType", "limit", "min_score", "sort", "count", "spelling"}

// Fault is what is wrong with a slot: Field is the key below it.
type Fault struct{ Field, Detail string }

// Check says what is wrong with a slot.
func (s *Slot) Check() (faults []Fault) {
	wrong := func(field, format string, args ...any) {
		faults = append(faults, Fault{field, fmt.Sprintf(format, args...)})
	}
	if !isName(s.ID) || len(s.ID) > maxID || slices.Contains(reserved, s.ID) {
		wrong("id", "%q cannot name a question; use up to %d letters, digits, dots, "+
			"dashes and underscores, and none of %s", s.ID, maxID, strings.Join(reserved, ", "))
	}
	if strings.TrimSpace(s.Text) == "" {
		wrong("text", "it is empty; write the question")
	}
	if s.Filter != "" && (!isName(s.Filter) || slices.Contains(reserved, s.Filter)) {
		wrong("filter",
			"%q is no attribute that a question can have; write a schema.org property, like suitableForDiet", s.Filter)
	}
	if !slices.Contains(Kinds, Kind(s.Kind)) {
		wrong("kind", "%q is none of single_select, multi_select, free_text, number, boolean", s.Kind)
	}
	faults = append(faults, s.checkOptions()...)
	if !slices.Contains([]string{"", "max", "min", "exact"}, s.Bound) {
		wrong("bound", "%q is none of max, min, exact", s.Bound)
	}
	if (s.Kind == string(Boolean)) != (s.Value != "") {
		wrong("value", "a boolean, and nothing else, needs a value: what yes means")
	}
	if s.hasDefault() && s.preset() == nil {
		wrong("default",
			"%q is no answer to the question; a multi_select takes options, each once, any other kind one answer",
			strings.Join(s.Default, ", "))
	}
	if s.When.MoreThan < 0 || s.When.AtMost < 0 {
		wrong("when", "a number of items or words cannot be negative")
	}
	seen := map[string]bool{}
	for i, t := range s.Languages {
		at := fmt.Sprintf("languages[%d].", i)
		if !slices.Contains(i18n.Languages, t.Language) || seen[t.Language] {
			wrong(at+"language", "%q is none of %s, or is there twice", t.Language, strings.Join(i18n.Languages, ", "))
		}
		seen[t.Language] = true
		if strings.TrimSpace(t.Text) == "" {
			wrong(at+"text", "it is empty; write the question")
		}
		if len(t.Options) != len(s.Options) {
			wrong(at+"options", "there are %d options, and %d in the slot itself", len(t.Options), len(s.Options))
		}
	}
	return faults
}

func (s *Slot) checkOptions() (faults []Fault) {
	wrong := func(field, format string, args ...any) {
		faults = append(faults, Fault{field, fmt.Sprintf(format, args...)})
	}
	switch {
	case s.selects() && (len(s.Options) < 2 || len(s.Options) > maxOptions):
		wrong("options", "there are %d options; write 2 to %d", len(s.Options), maxOptions)
	case !s.selects() && len(s.Options) > 0:
		wrong("options", "a %s has no options", s.Kind)
	}
	if len(s.Values) > 0 && len(s.Values) != len(s.Options) {
		wrong("values", "there are %d values for %d options", len(s.Values), len(s.Options))
	}
	for i, option := range s.Options {
		if strings.TrimSpace(option) == "" || slices.Contains(s.Options[:i], option) {
			wrong(fmt.Sprintf("options[%d]", i), "%q is empty, or there twice", option)
		}
	}
	for _, text := range append([]string{s.Text}, s.Options...) {
		if len(text) > maxText {
			wrong("text", "a text is longer than %d bytes", maxText)
		}
	}
	return faults
}

// Filling is what an answer that a slot offers makes of the attribute that it fills. Field is the
// key below the slot that says so.
type Filling struct {
	Field string
	Value jsontext.Value
}

// Fillings are what the answers that a slot offers make of its attribute; none when it fills none.
func (s *Slot) Fillings() (all []Filling) {
	switch {
	case s.Filter == "":
		return nil
	case s.Kind == string(Boolean) && s.Value != "":
		return []Filling{{"value", quote(s.Value)}}
	case s.Kind == string(Number):
		return []Filling{{"kind", s.readNumber(jsontext.Value("5"))}}
	}
	field, values := "options", s.Options
	if len(s.Values) > 0 {
		field, values = "values", s.Values
	}
	for i, value := range values {
		if !i18n.IsNoPreference(value) {
			all = append(all, Filling{fmt.Sprintf("%s[%d]", field, i), quote(value)})
		}
	}
	return all
}

func (s *Slot) selects() bool { return s.Kind == string(SingleSelect) || s.Kind == string(MultiSelect) }

// applies says whether a slot is to be asked back.
func (a *Asker) applies(s *Slot, n *Need) bool {
	if !n.new(s.ID, s.Filter) || !s.about(n) {
		return false
	}
	if s.When.Always {
		return true
	}
	most := a.config.MoreThan
	if s.When.MoreThan > 0 {
		most = s.When.MoreThan
	}
	return n.Telling <= s.When.words(a.config) && n.Matches > most
}

// about says whether a slot is about such questions.
func (s *Slot) about(n *Need) bool {
	switch {
	case len(s.When.Types) > 0 && !slices.ContainsFunc(s.When.Types, n.Are):
		return false
	case len(s.When.Words) == 0:
		return true
	}
	said := " " + strings.Join(words(n.Text), " ") + " "
	return slices.ContainsFunc(s.When.Words, func(w string) bool {
		folded := strings.Join(words(w), " ")
		if strings.ContainsFunc(folded, runsTogether) {
			return strings.Contains(said, folded)
		}
		return folded != "" && strings.Contains(said, " "+folded+" ")
	})
}

// prompt puts the question in the speaker's language, or in that of the slot.
func (s *Slot) prompt(speaker i18n.Speaker) Prompt {
	p := Prompt{ID: s.ID, Text: s.Text, Kind: Kind(s.Kind), Options: slices.Clone(s.Options), Default: s.preset()}
	for _, t := range s.Languages {
		if t.Language == speaker.Language() {
			translated := *s
			translated.Text, translated.Options, translated.Default = t.Text, t.Options, nil
			for _, option := range s.Default {
				if at := slices.Index(s.Options, option); at >= 0 {
					option = t.Options[at]
				}
				translated.Default = append(translated.Default, option)
			}
			p.Text, p.Options, p.Default = t.Text, slices.Clone(t.Options), translated.preset()
		}
	}
	if s.selects() && !slices.ContainsFunc(p.Options, i18n.IsNoPreference) {
		p.Options = append(p.Options, speaker.Say(i18n.NoPreference))
	}
	return p
}

// hasDefault reports whether a default is given. One empty text is none.
func (s *Slot) hasDefault() bool {
	return len(s.Default) > 1 || len(s.Default) == 1 && s.Default[0] != ""
}

// preset is the default as JSON, in the form of an answer: a list for MultiSelect. It is nil for
// none or one that is no answer.
func (s *Slot) preset() jsontext.Value {
	if !s.hasDefault() {
		return nil
	}
	if s.Kind == string(MultiSelect) {
		return s.presets()
	}
	if len(s.Default) != 1 {
		return nil
	}
	only := s.Default[0]
	switch Kind(s.Kind) {
	case Number:
		f, err := strconv.ParseFloat(only, 64)
		if err != nil || f-f != 0 { // not a number, or beyond all bounds
			return nil
		}
		return strconv.AppendFloat(nil, f, 'f', -1, 64)
	case Boolean:
		if only != "true" && only != "false" {
			return nil
		}
		return jsontext.Value(only)
	case FreeText:
	default:
		if !slices.Contains(s.Options, only) {
			return nil
		}
	}
	return quote(only)
}

// presets is the default of a MultiSelect, nil if a text of it is no option or is there twice.
func (s *Slot) presets() jsontext.Value {
	list := jsontext.Value("[")
	for i, option := range s.Default {
		if !slices.Contains(s.Options, option) || slices.Contains(s.Default[:i], option) {
			return nil
		}
		if i > 0 {
			list = append(list, ',')
		}
		list = append(list, quote(option)...)
	}
	return append(list, ']')
}

// quote writes a text as JSON.
func quote(text string) jsontext.Value {
	quoted, _ := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\uFFFD"))
	return quoted
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

// runsTogether says whether words of a letter's script have no blanks between them.
func runsTogether(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) }

// isName says whether a text can name an attribute.
func isName(s string) bool {
	for i, r := range s {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' ||
			i > 0 && (r >= '0' && r <= '9' || strings.ContainsRune("._-", r))) {
			return false
		}
	}
	return s != ""
}
