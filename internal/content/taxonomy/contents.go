package taxonomy

import "slices"

// Contents are the classes that an item states, gathered from all that it says of itself.
type Contents struct {
	statements []Statement
}

// Add adds what a text states: see In.
func (c *Contents) Add(text string, how How) { c.statements = append(c.statements, In(text, how)...) }

// AddList adds what a list of what is in the item states, of classes of a kind.
func (c *Contents) AddList(text string, kind Kind) { c.add(text, Has, kind) }

// add adds what a text states of classes of a kind; an empty kind is any.
func (c *Contents) add(text string, how How, kind Kind) {
	for _, s := range In(text, how) {
		if kind != "" && KindOf(s.Class) != kind {
			continue
		}
		if how == Free && s.How == Has {
			s.How = Free
		}
		c.statements = append(c.statements, s)
	}
}

// AddClass adds a class as it is stated.
func (c *Contents) AddClass(name string, how How) {
	c.statements = append(c.statements, Statement{name, how})
}

// AddProperty adds what a named property states: "Contains: milk", "Caffeine: none", "Free from:
// nuts". Where it lists all that is in the item of a kind, the kind is given.
func (c *Contents) AddProperty(name, value string) (lists Kind) {
	name = plain(name)
	if p, ok := tables().properties[name]; ok {
		c.add(value, p.how, p.kind)
		return p.kind
	}
	value = plain(value)
	if !tables().yes[value] && !tables().no[value] {
		return ""
	}
	for _, s := range In(name, Has) {
		if tables().no[value] { // "Gluten free: no" says nothing of what is in it
			if s.How != Has {
				continue
			}
			s.How = Free
		}
		c.statements = append(c.statements, s)
	}
	return ""
}

// Affirms says whether the value of a property says yes.
func Affirms(value string) bool { return tables().yes[plain(value)] }

// Negates says whether the value of a property says no.
func Negates(value string) bool { return tables().no[plain(value)] }

// Has gives the classes that are in the item, with those above them.
func (c *Contents) Has() (has []string) {
	for _, s := range c.statements {
		if s.How == Has || s.How == Implied && !c.free(s.Class) {
			has = put(has, s.Class)
			for _, above := range Above(s.Class) {
				has = put(has, above)
			}
		}
	}
	return has
}

// Traces gives the classes that may be in the item: those that it states so, and of a class that it
// states without saying which of it, all.
func (c *Contents) Traces() (traces []string) {
	for _, s := range c.statements {
		switch {
		case s.How == Traces:
			traces = put(traces, s.Class)
			for _, above := range Above(s.Class) {
				traces = put(traces, above)
			}
		case s.How != Has && (s.How != Implied || c.free(s.Class)):
			continue
		}
		if !slices.ContainsFunc(c.statements,
			func(o Statement) bool { return slices.Contains(Above(o.Class), s.Class) }) {
			for _, below := range tables().within[s.Class] {
				if tables().classes[below].above == s.Class && !c.free(below) {
					traces = put(traces, below)
				}
			}
		}
	}
	return traces
}

// Free gives the classes that the item states to be without, with those below them.
func (c *Contents) Free() (free []string) {
	for _, s := range c.statements {
		if s.How != Free || slices.ContainsFunc(c.statements, func(o Statement) bool {
			return o.How == Has && (o.Class == s.Class || slices.Contains(Above(o.Class), s.Class))
		}) {
			continue
		}
		free = put(free, s.Class)
		for _, name := range tables().order {
			if slices.Contains(Above(name), s.Class) {
				free = put(free, name)
			}
		}
	}
	return free
}

// Mentioned gives the classes that the item speaks of without saying whether they are in it.
func (c *Contents) Mentioned() (mentioned []string) {
	has, free := c.Has(), c.Free()
	for _, s := range c.statements {
		if s.How == Mentioned && !slices.Contains(has, s.Class) && !slices.Contains(free, s.Class) {
			mentioned = put(mentioned, s.Class)
		}
	}
	return mentioned
}

// free says whether the item states to be without a class or one above it.
func (c *Contents) free(name string) bool {
	return slices.ContainsFunc(c.statements, func(s Statement) bool {
		return s.How == Free && (s.Class == name || slices.Contains(Above(name), s.Class))
	})
}

func put(list []string, name string) []string {
	if slices.Contains(list, name) {
		return list
	}
	return append(list, name)
}
