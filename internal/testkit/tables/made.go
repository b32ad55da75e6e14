package tables

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// made is a document, and what the table says of it.
type made struct {
	what  string
	text  []byte
	valid bool
}

// documents makes, for each row of a table, documents that are right and wrong in just that row.
func documents(t *testing.T, table Table) (all []made) {
	add := func(what string, o object, valid bool) {
		all = append(all, made{table.Name + " " + what, o.text(t), valid})
	}
	add("in full", full(table.Rows), true)
	for _, r := range table.Rows {
		switch array, element := strings.CutSuffix(r.Member, "[]"); {
		case element && r.object(): // the array's own row says whether it may be empty
		case element:
			without := full(table.Rows)
			without.set(array, []any{})
			add(r.Member+" left out", without, !r.Required)
		default:
			without := full(table.Rows)
			without.remove(r.Member)
			add(r.Member+" left out", without, !r.Required)
		}
		for _, value := range values(r.Good) {
			document := full(table.Rows)
			document.set(r.Member, value)
			add(fmt.Sprintf("%s = %s", r.Member, value), document, true)
		}
		for _, value := range r.wrong() {
			document := full(table.Rows)
			document.set(r.Member, value)
			add(fmt.Sprintf("%s = %s", r.Member, value), document, false)
		}
		if r.object() && !strings.Contains(r.Kind, "+") {
			for _, unknown := range []string{"bid", "x.y", strings.ToUpper(r.Member)} {
				document := full(table.Rows)
				document.setNamed(r.Member, unknown)
				add(r.Member+" with "+unknown, document, false)
			}
		}
	}
	for _, unknown := range []string{"bid", "vendor.name", "Aip_version"} {
		document := full(table.Rows)
		document[unknown] = 1
		add("with "+unknown, document, false)
	}
	return all
}

func (r Row) object() bool { return strings.HasPrefix(r.Kind, "o") }

// wrong are values that the member may not have.
func (r Row) wrong() []json.RawMessage { return append(values(r.Bad), ofOtherTypes(r.Kind)...) }

// values splits JSON values with blanks between.
func values(text string) (all []json.RawMessage) {
	decoder := json.NewDecoder(strings.NewReader(text))
	for decoder.More() {
		var v json.RawMessage
		if err := decoder.Decode(&v); err != nil {
			panic(text + ": " + err.Error())
		}
		all = append(all, v)
	}
	return all
}

// ofOtherTypes are values that a member of a kind may not have. What has no kind may have any.
func ofOtherTypes(kind string) (all []json.RawMessage) {
	if strings.Trim(kind, "0+") == "" {
		return nil
	}
	for _, each := range []struct{ kind, value string }{{"s", `"x"`}, {"i", `7`}, {"b", `true`}, {"o", `{"x":1}`}, {"a", `["x"]`}, {"0", `null`}} {
		if !strings.Contains(kind, each.kind) && (kind != "n" || each.kind != "i") {
			all = append(all, json.RawMessage(each.value))
		}
	}
	return all
}

// object is a document that can be changed by paths.
type object map[string]any

// full is the document with every member of the table, each with its first good value.
func full(rows []Row) object {
	document := object{}
	for _, r := range rows {
		var value any
		if good := values(r.Good); len(good) > 0 && !strings.HasPrefix(string(good[0]), "{}") &&
			string(good[0]) != "[]" {
			value = good[0]
		} else if r.object() {
			value = object{}
		} else {
			value = []any{}
		}
		document.set(r.Member, value)
	}
	return document
}

// set puts a value at a path; objects and arrays on the way are made as needed.
func (o object) set(path string, value any) { o.change(path, value, false) }

// remove takes away what is at a path.
func (o object) remove(path string) { o.change(path, nil, true) }

func (o object) change(path string, value any, remove bool) {
	name, rest, deeper := strings.Cut(path, ".")
	if array, ok := strings.CutSuffix(name, "[]"); ok {
		elements, _ := open(o[array]).([]any)
		if deeper {
			elements[0].(object).change(rest, value, remove)
		} else if remove {
			elements = elements[1:]
		} else {
			elements = append([]any{value}, elements[min(1, len(elements)):]...)
		}
		o[array] = elements
		return
	}
	switch {
	case deeper:
		below, ok := o[name].(object)
		if !ok {
			below = object{}
		}
		o[name] = below
		below.change(rest, value, remove)
	case remove:
		delete(o, name)
	default:
		o[name] = value
	}
}

// open makes an array of raw JSON one that can be changed.
func open(value any) any {
	raw, ok := value.(json.RawMessage)
	if !ok {
		return value
	}
	var elements []any
	if json.Unmarshal(raw, &elements) != nil {
		return value
	}
	return elements
}

// setNamed gives the object at a path a member whose name may have dots.
func (o object) setNamed(path, name string) {
	at := o
	for part := range strings.SplitSeq(path, ".") {
		if array, ok := strings.CutSuffix(part, "[]"); ok {
			at = at[array].([]any)[0].(object)
		} else {
			at = at[part].(object)
		}
	}
	at[name] = 1
}

func (o object) text(t interface{ Fatal(...any) }) []byte {
	text, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	return text
}
