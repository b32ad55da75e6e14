package settings

import (
	"slices"
	"time"

	"frontdesk/internal/ask/elicitation"
	"frontdesk/internal/ask/query"
	"frontdesk/internal/content"
	"frontdesk/internal/infra/yamlconf"
)

// Asker is what asks back; nil for nothing.
func (a Ask) Asker() *elicitation.Asker {
	e := a.Elicit
	if e.Mode == elicitation.Off {
		return nil
	}
	e.Slots = canonicalSlots(e.Slots)
	return elicitation.New(e)
}

// canonicalSlots writes the slots' types as schema.org does.
func canonicalSlots(slots []elicitation.Slot) []elicitation.Slot {
	slots = slices.Clone(slots)
	for i, slot := range slots {
		slots[i].Types = content.CanonicalTypes(slot.Types)
		slots[i].When.Types = content.CanonicalTypes(slot.When.Types)
	}
	return slots
}

// checkElicit looks at the slots.
func checkElicit(r *yamlconf.Report, e elicitation.Config) {
	if len(e.Slots) > elicitation.MaxSlots {
		r.Problem("slots", "there are %d slots; at most %d are asked", len(e.Slots), elicitation.MaxSlots)
	}
	if e.Mode == elicitation.Slots && len(e.Slots) == 0 {
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
				r.Problem(path+"."+filling.Field, "%s is no value of %s that can be read; "+
					"write one such as \"up to 20\" or \"vegan\", as values if the options say it otherwise",
					filling.Value, slot.Filter)
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
			r.Warning(yamlconf.Index(path, n),
				"schema.org has no type %s; only items that are marked so will match", name)
		}
	}
}
