// Package tables holds a protocol's schemas, types and validator against tables of its members that
// were written out of the protocol's texts: it makes documents out of the tables, right ones and
// wrong in one thing alone, and wants the three to agree about each; and it takes each constraint
// out of the schemas, one at a time, and wants that to tell.
package tables

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"frontdesk/wire/document"
	"frontdesk/wire/sign"
)

// Row is one member of a document: independent of the schemas and of the types.
type Row struct {
	Member   string // "a.b"; a part that ends in "[]" is an array, whose first element is meant
	Required bool   // where its object is there
	Good     string // JSON values that are right, with blanks between; the first stands in the full document
	Bad      string // JSON values that are wrong; those of other types are added by themselves
	// Kind is s string, i integer, n number, b boolean, o object, a array; behind it, "0" where
	// null is right, too, and "+" where an object may have members that the table does not name.
	Kind string
}

// Rows are rows of another package's, where they can stand without the names of their fields.
func Rows[R ~struct {
	Member          string
	Required        bool
	Good, Bad, Kind string
}](rows []R) []Row {
	all := make([]Row, len(rows))
	for i, r := range rows {
		all[i] = Row(r)
	}
	return all
}

// Table is a kind of document, in one of its forms.
type Table struct {
	Kind string
	Name string
	Rows []Row
}

// Protocol is what is held against the tables.
type Protocol struct {
	Tables []Table
	Check  func(kind string, text []byte) document.Findings
	Read   func(kind string, text []byte) any // nil where it refuses
	Schema func(kind string) []byte
	// With does something while another schema stands in for a kind's.
	With func(kind string, schema []byte, do func()) error
}

// Agree wants schemas, types and validator to say of every document what the tables say.
func (p Protocol) Agree(t *testing.T) {
	count := 0
	for _, table := range p.Tables {
		for _, d := range documents(t, table) {
			p.judge(t, table.Kind, d.what, d.text, d.valid)
			count++
		}
		text := full(table.Rows).text(t)
		document := p.Read(table.Kind, text)
		if document == nil {
			continue // which was told
		}
		if again, err := json.Marshal(document); err != nil || !sign.Same(text, again) {
			t.Errorf("%s in full is not written as it was read:\n%s\n%s", table.Name, text, again)
		}
	}
	if count < 300*len(p.Tables)/2 {
		t.Errorf("only %d documents were made", count)
	}
}

// Constrain takes each constraint out of the schemas, one at a time: what is found in the documents
// that the tables call wrong must be another then.
func (p Protocol) Constrain(t *testing.T) {
	if testing.Short() {
		t.Skip("short: judges many documents by many schemas")
	}
	kinds := map[string][]made{}
	for _, table := range p.Tables {
		kinds[table.Kind] = append(kinds[table.Kind], documents(t, table)...)
	}
	for kind, all := range kinds {
		all = slices.DeleteFunc(all, func(d made) bool { return d.valid })
		before := make([]document.Findings, len(all))
		for i, d := range all {
			before[i] = p.Check(kind, d.text)
		}
		weaker(t, p.Schema(kind), func(what string, schema []byte) {
			told := false
			err := p.With(kind, schema, func() {
				for i, d := range all {
					if told = !slices.Equal(p.Check(kind, d.text), before[i]); told {
						return
					}
				}
			})
			if err != nil {
				t.Fatalf("%s without %s: %v", kind, what, err)
			}
			if !told {
				t.Errorf("%s without %s: no document tells", kind, what)
			}
		})
	}
}

// Combine wants a document to be right whatever good values come together, and wrong with one bad
// value among them.
func (p Protocol) Combine(t *testing.T) {
	for _, table := range p.Tables {
		rapid.Check(t, func(t *rapid.T) {
			document := full(table.Rows)
			for _, r := range table.Rows {
				if good := values(r.Good); len(good) > 0 &&
					strings.Count(r.Good, "{}")+strings.Count(r.Good, "[]") == 0 && !strings.HasSuffix(r.Member, "[]") {
					document.set(r.Member, rapid.SampledFrom(good).Draw(t, r.Member))
				}
			}
			p.judge(t, table.Kind, table.Name, document.text(t), true)
			r := rapid.SampledFrom(table.Rows).Filter(func(r Row) bool { return len(r.wrong()) > 0 }).Draw(t, "row")
			document.set(r.Member, rapid.SampledFrom(r.wrong()).Draw(t, "bad"))
			p.judge(t, table.Kind, table.Name+" "+r.Member, document.text(t), false)
		})
	}
}

// Members looks for members that only the schemas or only the tables know.
func (p Protocol) Members(t *testing.T) {
	inTables := map[string]map[string]bool{}
	for _, table := range p.Tables {
		if inTables[table.Kind] == nil {
			inTables[table.Kind] = map[string]bool{}
		}
		for _, r := range table.Rows {
			if !strings.HasSuffix(r.Member, "[]") || r.object() {
				inTables[table.Kind][r.Member] = true
			}
		}
	}
	for kind, known := range inTables {
		var schema map[string]any
		if err := json.Unmarshal(p.Schema(kind), &schema); err != nil {
			t.Fatal(err)
		}
		inSchema := map[string]bool{}
		members(schema, "", inSchema)
		for member := range inSchema {
			if !known[member] {
				t.Errorf("%s: %s is in the schema alone", kind, member)
			}
		}
		for member := range known {
			if !inSchema[member] {
				t.Errorf("%s: %s is in the table alone", kind, member)
			}
		}
	}
}

func members(schema map[string]any, at string, all map[string]bool) {
	if items, ok := schema["items"].(map[string]any); ok && items["type"] == "object" {
		all[at+"[]"] = true
		members(items, at+"[]", all)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, below := range properties {
		path := strings.TrimPrefix(at+"."+name, ".")
		all[path] = true
		members(below.(map[string]any), path, all)
	}
}

// Swap takes a member out of rows, with all below it, and puts others in, in place of those of the
// same name.
func Swap(rows []Row, without string, with ...Row) []Row {
	return append(slices.DeleteFunc(slices.Clone(rows), func(r Row) bool {
		return r.Member == without || strings.HasPrefix(r.Member, without+".") ||
			strings.HasPrefix(r.Member, without+"[") ||
			slices.ContainsFunc(with, func(w Row) bool { return w.Member == r.Member })
	}), with...)
}

// judge checks a document against what the table says, and the types against the schema.
func (p Protocol) judge(t interface {
	Helper()
	Errorf(string, ...any)
	Fatal(...any)
}, kind, what string, text []byte, valid bool,
) {
	t.Helper()
	findings := p.Check(kind, text)
	if findings.Valid() != valid {
		t.Errorf("%s: valid is %v, the readings say %v\n%s\n%v", what, findings.Valid(), valid, text, findings)
		return
	}
	if _, err := sign.Canonical(text); err == nil && slices.ContainsFunc(findings, func(f document.Finding) bool {
		return f.Rule == document.RuleJSON
	}) {
		t.Errorf("%s: the types refuse what the schema takes:\n%s\n%v", what, text, findings)
	}
	for _, f := range findings {
		if f.Rule == "" || f.Detail == "" || f.Mend == "" {
			t.Errorf("%s: a finding says too little: %+v", what, f)
		}
	}
	read := p.Read(kind, text)
	if (read != nil) != valid {
		t.Errorf("%s: the types and the validator disagree about\n%s", what, text)
	}
	if read == nil {
		return
	}
	again, err := json.Marshal(read)
	if err != nil {
		t.Fatal(err)
	}
	if f := p.Check(kind, again); !f.Valid() {
		t.Errorf("%s: what was read is written wrong:\n%s\n%v", what, again, f)
	}
}

// weaker calls a function with each schema that lacks one constraint of a schema.
func weaker(t *testing.T, text []byte, try func(what string, schema []byte)) {
	t.Helper()
	var root any
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	attempt := func(what string) {
		schema, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		try(what, schema)
	}
	var walk func(at string, node any)
	walk = func(at string, node any) {
		schema, ok := node.(map[string]any)
		if !ok {
			return
		}
		for _, keyword := range constraints {
			if value, there := schema[keyword]; there && !(at == "" && keyword == "type") && !alone(schema, keyword) {
				delete(schema, keyword)
				attempt(at + " " + keyword)
				schema[keyword] = value
			}
		}
		if required, ok := schema["required"].([]any); ok {
			for i := range required {
				schema["required"] = slices.Delete(slices.Clone(required), i, i+1)
				attempt(fmt.Sprintf("%s required %s", at, required[i]))
			}
			schema["required"] = required
		}
		walk(at+"[]", schema["items"])
		properties, _ := schema["properties"].(map[string]any)
		for name, below := range properties {
			walk(at+"."+name, below)
		}
	}
	walk("", root)
}

var constraints = []string{
	"type", "enum", "pattern", "format", "minimum", "maximum", "minLength", "maxLength", "minItems", "uniqueItems",
	"contains", "additionalProperties", "then",
}

// alone says whether a keyword has no effect beside another of its schema: a type beside an enum of
// strings, the least length of what has to be a domain name, how many elements of what has to
// contain one.
func alone(schema map[string]any, keyword string) bool {
	return keyword == "type" && schema["enum"] != nil || keyword == "minLength" && schema["format"] == "hostname" ||
		keyword == "minItems" && schema["contains"] != nil
}
