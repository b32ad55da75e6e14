package server

import (
	"time"

	"frontdesk/internal/ask/elicitation"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/content"
	"frontdesk/internal/infra/yamlconf"
)

// Elicit sets whether vague questions are asked back (an elicitation, in NLWeb's words), and what.
type Elicit struct {
	// Mode is `off`, `slots` to ask what `slots` say, or `auto` to ask what the items that fit differ in, too, such as
	// their price or brand.
	Mode string `yaml:"mode" check:"oneof=off slots auto"`
	// Rounds is how often one question is asked back at most.
	Rounds int `yaml:"rounds" check:"1..5"`
	// Questions is how many questions there are at a time.
	Questions int `yaml:"questions" check:"1..5"`
	// MoreThan is how many items must fit before anything is asked back.
	MoreThan int `yaml:"more_than" check:"0..199"`
	// Words is how many telling words a question may have and still be vague; conditions that were understood, such as a
	// price or a diet, do not count.
	Words int `yaml:"words" check:"0..16"`
	// Slots are what is asked back when it is not known, in their order.
	Slots []elicitation.Slot `yaml:"slots"`
}

func defaultElicit() Elicit {
	return Elicit{Mode: string(elicitation.Off), Rounds: 2, Questions: 3, MoreThan: 12, Words: 2}
}

// asker makes of the settings what asks back, nil for nothing.
func (e Elicit) asker() *elicitation.Asker {
	if e.Mode == string(elicitation.Off) {
		return nil
	}
	return elicitation.New(elicitation.Config{
		Mode: elicitation.Mode(e.Mode), Rounds: e.Rounds, Questions: e.Questions, MoreThan: e.MoreThan, Words: e.Words, Slots: e.canonical(),
	})
}

// canonical writes the slots' types as schema.org does.
func (e Elicit) canonical() []elicitation.Slot {
	slots := make([]elicitation.Slot, len(e.Slots))
	for i, slot := range e.Slots {
		slot.Types, slot.When.Types = canonicalTypes(slot.Types), canonicalTypes(slot.When.Types)
		slots[i] = slot
	}
	return slots
}

// Check looks at the slots.
func (e Elicit) Check(r *yamlconf.Report) {
	if len(e.Slots) > elicitation.MaxSlots {
		r.Problem("slots", "there are %d slots; at most %d are asked", len(e.Slots), elicitation.MaxSlots)
	}
	if e.Mode == string(elicitation.Slots) && len(e.Slots) == 0 {
		r.Warning("mode", "there are no slots, so nothing is asked back; write ask.elicit.slots, or the mode auto")
	}
	seen := map[string]bool{}
	for i := range e.Slots {
		slot, path := &e.Slots[i], yamlconf.Index("slots", i)
		for _, fault := range slot.Check() {
			r.Problem(path+"."+fault.Field, "%s", fault.Detail)
		}
		for _, filling := range slot.Fillings() {
			if !query.Readable(slot.Filter, filling.Value, time.Now()) {
				r.Problem(path+"."+filling.Field, "%s is no value of %s that can be read; write one such as \"up to 20\" or \"vegan\", as values if the options say it otherwise", filling.Value, slot.Filter)
			}
		}
		if seen[slot.ID] {
			r.Problem(path+".id", "the id %s is given to two slots", slot.ID)
		}
		seen[slot.ID] = true
		knownTypes(r, path+".types", slot.Types)
		knownTypes(r, path+".when.types", slot.When.Types)
	}
}

// knownTypes warns of types that schema.org does not have.
func knownTypes(r *yamlconf.Report, path string, names []string) {
	for n, name := range names {
		if _, known := content.KnownType(name); !known {
			r.Warning(yamlconf.Index(path, n), "schema.org has no type %s; only items that are marked so will match", name)
		}
	}
}
