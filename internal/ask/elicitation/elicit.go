// Package elicitation decides whether a question is asked back before it is answered (NLWeb 0.55
// §4.1.3), and what: the slots that the owner configured for a type, and, where that is switched
// on, what the items that fit differ in. It reads the answers, too, and makes of them the
// attributes that they stand for.
//
// Package ask stands above it, and knows the question, what was understood of it and what fits. It
// is pure: no I/O, no clock, and the same need gives the same questions.
package elicitation

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

// Elicitation is a question back.
type Elicitation struct {
	Text    string // what is needed, and why; in the language of the answer
	Prompts []Prompt
}

// Prompt is one question of an elicitation. Its answer comes back with the same question, as an
// attribute named by ID.
type Prompt struct {
	ID      string
	Text    string
	Kind    Kind
	Options []string       // of SingleSelect and MultiSelect, as people read them
	Default jsontext.Value // the answer to begin with; empty for none
}

// Kind is how a question that is asked back is answered.
type Kind string

// The kinds that NLWeb 0.55 §4.1.3 defines.
const (
	SingleSelect Kind = "single_select"
	MultiSelect  Kind = "multi_select"
	FreeText     Kind = "free_text"
	Number       Kind = "number"
	Boolean      Kind = "boolean"
)

// Kinds are all of them.
var Kinds = []Kind{SingleSelect, MultiSelect, FreeText, Number, Boolean}

// Mode says when something is asked back.
type Mode string

// The modes.
const (
	Off   Mode = "off"   // never
	Slots Mode = "slots" // what the owner configured
	Auto  Mode = "auto"  // that, and what items differ in
)

// Config is the section ask.elicit: whether vague questions are asked back (an elicitation, in
// NLWeb's words), and what.
type Config struct {
	// Mode is `off`, `slots` for the questions in `slots`, or `auto` for further questions about
	// differences of the fitting items, such as their price or brand.
	Mode Mode `yaml:"mode" check:"oneof=off slots auto"`
	// Rounds is how often one question is asked back at most.
	Rounds int `yaml:"rounds" check:"1..5"`
	// Questions is how many questions there are at a time.
	Questions int `yaml:"questions" check:"1..5"`
	// MoreThan is how many items must fit before anything is asked back.
	MoreThan int `yaml:"more_than" check:"0..199"`
	// Words is how many telling words a vague question may have. Recognised conditions, such as a
	// price or a diet, do not count.
	Words int `yaml:"words" check:"0..16"`
	// Slots are the questions to ask back, in their order. A question is asked if its answer is not
	// known yet.
	Slots []Slot `yaml:"slots"`
}

// DefaultConfig asks nothing back.
func DefaultConfig() Config {
	return Config{Mode: Off, Rounds: 2, Questions: 3, MoreThan: 12, Words: 2}
}

// Asker asks back; a nil one never asks, and reads no answers. It never changes and is safe for
// concurrent use.
type Asker struct {
	config Config
	slots  map[string]*Slot // by id
}

// New makes an asker of a configuration that Check found no fault with.
func New(config Config) *Asker {
	a := &Asker{config: config, slots: map[string]*Slot{}}
	for i := range config.Slots {
		a.slots[config.Slots[i].ID] = &config.Slots[i]
	}
	return a
}

// Need is a question of which it is to be decided whether something has to be asked back.
type Need struct {
	Speaker i18n.Speaker
	Text    string // of the question, as it was asked
	Telling int    // how many words the question has that say what it is about
	// Are says whether a schema.org type was asked for, or most of what fits is of it.
	Are func(typ string) bool
	// Known are the attributes about which something is known already, from wherever.
	Known func(attribute string) bool
	// Matches is how many items fit well.
	Matches int
	// Facets are how these items are spread over slots.
	Facets []Facet
	State  State
	// Answered are the questions that this request answers, and Settled says that one of the
	// answers was that anything will do.
	Answered []string
	Settled  bool
}

// State is what a conversation remembers of what was asked back.
type State struct {
	Rounds int      // how often something was asked back
	Asked  []string // ids of what was asked
}

// maxAsked bounds what is remembered of what was asked.
const maxAsked = 16

// After is the state once prompts were asked.
func (s State) After(prompts []Prompt) State {
	after := State{Rounds: s.Rounds + 1, Asked: slices.Clone(s.Asked)}
	for _, p := range prompts {
		if !slices.Contains(after.Asked, p.ID) && len(after.Asked) < maxAsked {
			after.Asked = append(after.Asked, p.ID)
		}
	}
	return after
}

// Open says whether anything could be asked back after so many rounds, before anybody looks for
// items.
func (a *Asker) Open(state State) bool {
	return a != nil && (a.config.Mode == Slots && len(a.config.Slots) > 0 || a.config.Mode == Auto) &&
		state.Rounds < a.config.Rounds
}

// Asks says whether a question with so many telling words could be vague enough, before anybody
// looks for items.
func (a *Asker) Asks(telling int) bool {
	if telling <= a.config.Words {
		return true
	}
	return slices.ContainsFunc(a.config.Slots, func(s Slot) bool {
		return s.When.Always || telling <= s.When.words(a.config)
	})
}

// Ask gives what is asked back; nil when the question is answered at once.
func (a *Asker) Ask(n Need) *Elicitation {
	if !a.Open(n.State) || n.Settled {
		return nil
	}
	var prompts []Prompt
	for i := range a.config.Slots {
		if s := &a.config.Slots[i]; len(prompts) < a.config.Questions && a.applies(s, &n) {
			prompts = append(prompts, s.prompt(n.Speaker))
		}
	}
	if len(prompts) == 0 && a.config.Mode == Auto && n.Telling <= a.config.Words && n.Matches > a.config.MoreThan {
		prompts = a.split(&n)
	}
	if len(prompts) == 0 {
		return nil
	}
	text := n.Speaker.Say(i18n.ChooseOne)
	if n.Matches != 1 {
		text = n.Speaker.Say(i18n.Choose, n.Matches)
	}
	return &Elicitation{Text: text, Prompts: prompts}
}

// new says whether a question was neither asked nor answered, and nothing is known of what it would
// fill.
func (n *Need) new(id, attribute string) bool {
	if slices.Contains(n.State.Asked, id) || slices.Contains(n.Answered, id) || n.Known(id) {
		return false
	}
	return attribute == "" || !n.knows(attribute)
}

// knows says whether something is known of an attribute, or of one that says the same.
func (n *Need) knows(attribute string) bool {
	same := []string{attribute}
	if slices.Contains(times, facets.Slot(attribute)) {
		same = nil
		for _, t := range times {
			same = append(same, string(t))
		}
	}
	return slices.ContainsFunc(same, n.Known)
}

// times are slots that mean much the same to who asks: one of them known, another is not asked for.
var times = []facets.Slot{facets.TotalTime, facets.CookTime, facets.PrepTime, facets.Duration}

// words are the words of a text in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !isWord(r) })
}
