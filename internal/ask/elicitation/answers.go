package elicitation

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/content/facets"
)

// Heard is what a request says in answer to questions that were asked back.
type Heard struct {
	// Attributes are those of the question, with each answer as the attribute that it fills.
	Attributes map[string]jsontext.Value
	// Words are answers that fill no attribute, as further words of the question.
	Words []string
	// Types are schema.org types that the answers are about.
	Types []string
	// Answered are the questions that were answered.
	Answered []string
	// Settled says that one of the answers was that anything will do.
	Settled bool
}

// anything is the value of an attribute about which the asker has no preference.
var anything = jsontext.Value(`"any"`)

// answersName is the attribute of a context that holds answers by the ids of their questions.
const answersName = "answers"

// maxAnswers bounds how many values one answer may have, and how many answers a context.
const maxAnswers = 50

// Heed reads the answers out of a question's attributes, and out of its contexts: an attribute
// named by a question's id, or an object of them under "answers". An attribute of the question wins
// over a context.
func (a *Asker) Heed(attributes map[string]jsontext.Value, contexts []map[string]jsontext.Value) Heard {
	h := Heard{Attributes: attributes}
	if a == nil {
		return h
	}
	given := a.given(contexts)
	if len(given) == 0 && !slices.ContainsFunc(slices.Collect(maps.Keys(attributes)), a.asks) {
		return h
	}
	h.Attributes = map[string]jsontext.Value{}
	for name, value := range attributes {
		given[name] = value
	}
	for _, id := range slices.Sorted(maps.Keys(given)) {
		value := given[id]
		slot := a.slots[id]
		switch {
		case slot != nil:
			h.Answered = append(h.Answered, id)
			h.fill(slot, value, given)
		case a.asks(id):
			h.Answered = append(h.Answered, id)
			h.Settled = h.Settled || isAnything(value)
			h.Attributes[id] = unlabel(facets.Slot(id), value)
		default:
			h.Attributes[id] = value
		}
	}
	return h
}

// asks says whether a name is that of a question that could be asked back.
func (a *Asker) asks(name string) bool {
	if a.slots[name] != nil {
		return true
	}
	return a.config.Mode == Auto && slices.ContainsFunc(topics, func(t topic) bool { return string(t.slot) == name })
}

// Reads says whether an attribute of a context is taken as the answer to a question: to one of the
// owner's.
func (a *Asker) Reads(name string) bool { return a != nil && a.slots[name] != nil }

// given collects answers out of contexts.
func (a *Asker) given(contexts []map[string]jsontext.Value) map[string]jsontext.Value {
	given := map[string]jsontext.Value{}
	for _, c := range contexts {
		var nested map[string]jsontext.Value
		if answers := c[answersName]; answers.Kind() == '{' && json.Unmarshal(answers, &nested) == nil {
			for id, value := range nested {
				if len(given) < maxAnswers && !slices.Contains(reserved, id) {
					given[id] = value
				}
			}
		}
		for id := range a.slots {
			if value, ok := c[id]; ok {
				given[id] = value
			}
		}
	}
	return given
}

// fill puts the answer to a slot's question into the attribute that it fills. One that the question
// has itself stays.
func (h *Heard) fill(s *Slot, value jsontext.Value, given map[string]jsontext.Value) {
	if _, explicit := given[s.Filter]; explicit && s.Filter != s.ID && s.Filter != "" {
		return
	}
	if isAnything(value) && s.Kind != string(Boolean) {
		h.Settled = true
		if s.Filter != "" {
			h.Attributes[s.Filter] = anything
		}
		return
	}
	filled := s.read(value)
	if filled != nil {
		for _, t := range s.Types {
			if !slices.Contains(h.Types, t) {
				h.Types = append(h.Types, t)
			}
		}
	}
	switch {
	case filled == nil:
	case s.Filter != "":
		h.Attributes[s.Filter] = filled
	default:
		h.Words = append(h.Words, texts(filled)...)
	}
}

// read is what an answer stands for, nil for nothing.
func (s *Slot) read(value jsontext.Value) jsontext.Value {
	switch Kind(s.Kind) {
	case Boolean:
		if !isYes(value) {
			return nil
		}
		return quote(s.Value)
	case Number:
		return s.readNumber(value)
	case SingleSelect, MultiSelect:
		var values []string
		for _, said := range texts(value) {
			values = append(values, s.valueOf(said))
		}
		switch len(values) {
		case 0:
			return value
		case 1:
			return quote(values[0])
		}
		list, _ := json.Marshal(values)
		return list
	}
	return value
}

// valueOf is what an option stands for, in whatever language it was chosen; other words stand for
// themselves.
func (s *Slot) valueOf(said string) string {
	at := indexFolded(s.Options, said)
	for _, t := range s.Languages {
		if at < 0 {
			at = indexFolded(t.Options, said)
		}
	}
	switch {
	case at < 0:
		return said
	case len(s.Values) > 0:
		return s.Values[at]
	}
	return s.Options[at]
}

func indexFolded(options []string, said string) int {
	return slices.IndexFunc(options, func(o string) bool {
		return strings.EqualFold(strings.TrimSpace(o), strings.TrimSpace(said))
	})
}

// readNumber makes a bound of a number. Words ("about 20 euros") stay as they are.
func (s *Slot) readNumber(value jsontext.Value) jsontext.Value {
	figure := string(value)
	if value.Kind() == '"' {
		figure = strings.TrimSpace(strings.Join(texts(value), ""))
	}
	f, err := strconv.ParseFloat(figure, 64)
	if err != nil || f-f != 0 {
		return value
	}
	switch s.Bound {
	case "min":
		return span{min: &f}.attribute()
	case "exact":
		return span{min: &f, max: &f}.attribute()
	}
	return span{max: &f}.attribute()
}

// unlabel reads labels of options that the items gave back into what they stand for.
func unlabel(slot facets.Slot, value jsontext.Value) jsontext.Value {
	if isAnything(value) {
		return anything
	}
	said := texts(value)
	for i, one := range said {
		if span := readSpan(one); span != nil && len(said) == 1 {
			return span.attribute()
		}
		if slot != facets.Diet {
			continue
		}
		for name, text := range i18n.Diets {
			if i18n.Understands(one, func(s i18n.Speaker) string { return s.Say(text) }) == 0 {
				said[i] = name
			}
		}
	}
	if slot != facets.Diet || len(said) == 0 {
		return value
	}
	if value.Kind() == '"' {
		return quote(said[0])
	}
	list, _ := json.Marshal(said)
	return list
}

// texts are the texts of a value: its own, or those of a list. "No preference" beside other values
// says nothing.
func texts(value jsontext.Value) []string {
	var one string
	var list []string
	switch value.Kind() {
	case '"':
		if json.Unmarshal(value, &one) == nil {
			list = []string{one}
		}
	case '[':
		var values []jsontext.Value
		if json.Unmarshal(value, &values) != nil {
			return nil
		}
		for _, v := range values[:min(len(values), maxAnswers)] {
			if v.Kind() == '"' && json.Unmarshal(v, &one) == nil && !i18n.IsNoPreference(one) {
				list = append(list, one)
			}
		}
	}
	return list
}

// isAnything says whether an answer is that anything will do.
func isAnything(value jsontext.Value) bool {
	switch value.Kind() {
	case 'n':
		return true
	case '"':
		var said string
		return json.Unmarshal(value, &said) == nil && i18n.IsNoPreference(said)
	case '[':
		return len(texts(value)) == 0
	}
	return false
}

// isYes says whether an answer is yes.
func isYes(value jsontext.Value) bool {
	if value.Kind() != '"' {
		return value.Kind() == 't'
	}
	said := texts(value)
	return len(said) == 1 && (strings.EqualFold(said[0], "true") ||
		i18n.Understands(said[0], func(s i18n.Speaker) string { return s.Say(i18n.Yes) }) == 0)
}
