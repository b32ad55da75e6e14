package server

import (
	"fmt"
	"time"

	"frontdesk/internal/ask/elicitation"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/content"
)

// Elicit sets whether vague questions are asked back (an elicitation, in NLWeb's words), and what.
type Elicit struct {
	// Mode is `off`, `slots` to ask what `slots` say, or `auto` to ask what the items that fit differ in, too, such as
	// their price or brand.
	Mode string `yaml:"mode"`
	// Rounds is how often one question is asked back at most.
	Rounds int `yaml:"rounds"`
	// Questions is how many questions there are at a time.
	Questions int `yaml:"questions"`
	// MoreThan is how many items must fit before anything is asked back.
	MoreThan int `yaml:"more_than"`
	// Words is how many telling words a question may have and still be vague; conditions that were understood, such as a
	// price or a diet, do not count.
	Words int `yaml:"words"`
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

func (c *checks) elicit() {
	e := c.Config.Ask.Elicit
	c.oneOf("ask.elicit.mode", e.Mode, string(elicitation.Off), string(elicitation.Slots), string(elicitation.Auto))
	between(c, "ask.elicit.rounds", e.Rounds, 1, 5)
	between(c, "ask.elicit.questions", e.Questions, 1, 5)
	between(c, "ask.elicit.more_than", e.MoreThan, 0, 199)
	between(c, "ask.elicit.words", e.Words, 0, 16)
	if len(e.Slots) > elicitation.MaxSlots {
		c.problem("ask.elicit.slots", "there are %d slots; at most %d are asked", len(e.Slots), elicitation.MaxSlots)
	}
	if e.Mode == string(elicitation.Slots) && len(e.Slots) == 0 {
		c.warning("ask.elicit.mode", "there are no slots, so nothing is asked back; write ask.elicit.slots, or the mode auto")
	}
	seen := map[string]bool{}
	for i := range e.Slots {
		slot, path := &e.Slots[i], fmt.Sprintf("ask.elicit.slots[%d]", i)
		for _, fault := range slot.Check() {
			c.problem(path+"."+fault.Field, "%s", fault.Detail)
		}
		for _, filling := range slot.Fillings() {
			if !query.Readable(slot.Filter, filling.Value, time.Now()) {
				c.problem(path+"."+filling.Field, "%s is no value of %s that can be read; write one such as \"up to 20\" or \"vegan\", as values if the options say it otherwise", filling.Value, slot.Filter)
			}
		}
		if seen[slot.ID] {
			c.problem(path+".id", "the id %s is given to two slots", slot.ID)
		}
		seen[slot.ID] = true
		c.knownTypes(path+".types", slot.Types)
		c.knownTypes(path+".when.types", slot.When.Types)
	}
}

// knownTypes warns of types that schema.org does not have.
func (c *checks) knownTypes(path string, names []string) {
	for n, name := range names {
		if _, known := content.KnownType(name); !known {
			c.warning(fmt.Sprintf("%s[%d]", path, n), "schema.org has no type %s; only items that are marked so will match", name)
		}
	}
}
