package offers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

	"cel.dev/cel-go/common/types"

	"frontdesk/internal/infra/yamlconf"
	"frontdesk/wire/strictjson"
)

// ruleSet is rules that were checked. It never changes.
type ruleSet struct {
	data      *shape
	tables    map[string]any
	lets      map[string]*expression
	match     *lookup
	decline   []refusal
	offers    []compiledOffer
	otherwise *template
}

type lookup struct {
	query  *template
	lookup Lookup
}

type refusal struct {
	when   *expression
	reason *template
}

type compiledOffer struct {
	when     *expression // nil is always
	summary  *template
	details  *tree
	expires  time.Duration
	requires []string
	terms    string
}

// template is a text with expressions in it.
type template struct {
	where string
	parts []piece
}

type piece struct {
	literal    string
	expression *expression // nil for what stands as it is
}

// tree is JSON with expressions in it: one of its members is set.
type tree struct {
	literal    strictjson.Value // a number, a truth value or null
	text       *template
	expression *expression // a text that is one expression and nothing else
	names      []string    // of the members of an object, and nil for a list
	elements   []*tree
	object     bool
}

// NewRules makes rules ready for an intake whose input_schema is given, and which
// intake.CompileSchema takes. The error joins one *Error for each thing that is wrong.
func NewRules(r Rules, inputSchema strictjson.Value) (Engine, error) {
	c := &compiler{world: world{}, verdicts: map[string]verdict{}}
	book := &ruleSet{lets: map[string]*expression{}}
	root := &reader{world: c.world, root: json.RawMessage(inputSchema)}
	book.data = root.read(root.root, "@data", 0)
	c.variables = variables(c.world, book.data)
	c.readTables(r, book)
	if r.matches() {
		c.variables["items"] = listOf(c.world["@item"], MaxItems)
	}
	var err error
	if c.env, err = newEnv(c.world, c.variables); err != nil {
		return nil, fmt.Errorf("prepare the language of rules: %w", err)
	}
	c.readMatch(r.Match, book)
	c.readLets(r.Let, book)
	c.readAnswers(r, book)
	if len(c.findings) > 0 {
		return nil, errors.Join(c.findings...)
	}
	return book, nil
}

// variables are the names that all rules know.
func variables(w world, data *shape) map[string]*shape {
	short := &field{shape: text(256)}
	member := func(s *shape) *field { return &field{shape: s} }
	agent := w.object("@agent",
		map[string]*field{"id": short, "platform": short, "name": short, "scopes": member(listOf(text(32), 8))})
	w.object("@item", map[string]*field{
		"url": member(text(2048)), "name": member(text(512)), "type": short, "site": short,
		"description": member(text(4096)),
		"score":       member(scalar(types.DoubleType)), "object": member(mapOf(anything(), 256)),
	})
	return map[string]*shape{"data": data, "agent": agent, "locale": text(16), "timezone": text(64),
		"now": scalar(types.TimestampType)}
}

// isName is what a name under let looks like, spelled.
var isName = regexp.MustCompile(`^[a-z_][a-zA-Z0-9_]*$`)

// decodeObject reads what strictyaml made of keys and values, with the keys in their order.
func decodeObject(object yamlconf.Object) (names []string, values map[string]any) {
	values = map[string]any{}
	decoder := json.NewDecoder(strings.NewReader(string(object)))
	decoder.UseNumber()
	if _, err := decoder.Token(); err != nil { // the opening brace
		return nil, values
	}
	for decoder.More() {
		name, _ := decoder.Token() // strictyaml writes JSON
		var value any
		if err := decoder.Decode(&value); err != nil {
			break
		}
		names = append(names, fmt.Sprint(name))
		values[fmt.Sprint(name)] = value
	}
	return names, values
}

func (c *compiler) readTables(r Rules, book *ruleSet) {
	_, tables := decodeObject(r.Tables)
	s, values := c.world.tables(tables)
	c.tables, book.tables = values, values
	c.variables["tables"] = s
}

func (r Rules) matches() bool {
	return r.Match.Query != "" || len(r.Match.Types) > 0 || len(r.Match.Sites) > 0 || r.Match.Limit != 0
}

func (c *compiler) readMatch(m Match, book *ruleSet) {
	if !(Rules{Match: m}).matches() {
		return
	}
	if strings.TrimSpace(m.Query) == "" {
		c.report("match.query", "say what to look for, as a person would ask, with members of data in braces")
		return
	}
	limit := m.Limit
	if limit == 0 {
		limit = 3
	}
	if limit < 1 || limit > MaxItems {
		c.report("match.limit", "%d is not between 1 and %d", m.Limit, MaxItems)
	}
	// The query cannot read what it is to find.
	with := c.env
	delete(c.variables, "items")
	var err error
	if c.env, err = newEnv(c.world, c.variables); err == nil {
		book.match = &lookup{c.text("match.query", m.Query, nil), Lookup{Types: m.Types, Sites: m.Sites, Limit: limit}}
	}
	c.env = with
	c.variables["items"] = listOf(c.world["@item"], MaxItems)
}

func (c *compiler) readLets(object yamlconf.Object, book *ruleSet) {
	names, values := decodeObject(object)
	for _, name := range names {
		field := "let." + name
		var source string
		switch v := values[name].(type) {
		case string:
			source = v
		case json.Number, bool:
			source = fmt.Sprint(v)
		default:
			c.report(field, "it should be an expression, as a text")
			continue
		}
		known := spelled(name)
		if _, taken := c.variables[known]; taken || len(name) > 64 || !isName.MatchString(known) {
			c.report(field,
				"%q is no name, or the name of something else; use letters, digits and underscores, beginning with "+
					"a lower-case letter", name)
			continue
		}
		e := c.compile(field, source, "", nil, wantValue)
		if e == nil {
			// What reads it is not at fault: it may be anything until it is mended.
			e = &expression{where: field, typ: types.DynType}
		}
		if err := c.declare(known, e); err != nil {
			c.report(field, "%q cannot be a name here; choose another", name)
			continue
		}
		book.lets[known] = e
	}
}

func (c *compiler) readAnswers(r Rules, book *ruleSet) {
	known := facts{}
	for i, d := range r.Decline {
		field := fmt.Sprintf("decline[%d]", i)
		when := c.compile(field+".when", d.When, "", known, wantTruth)
		v := verdictOf(when)
		book.decline = append(book.decline, refusal{when, c.text(field+".reason", d.Reason, known.and(v.yes))})
		known = known.and(v.no)
	}
	if len(r.Offers) == 0 {
		c.report("offers", "nothing is offered; write at least one offer with a summary")
	}
	always := false
	for i, o := range r.Offers {
		field := fmt.Sprintf("offers[%d]", i)
		if always {
			c.report(field, "it is never made: the one before it has no `when`")
		}
		book.offers = append(book.offers, c.offer(field, o, known))
		known = known.and(verdictOf(book.offers[i].when).no)
		always = o.When == ""
	}
	switch {
	case r.Otherwise != "":
		book.otherwise = c.text("otherwise", r.Otherwise, known)
	case len(r.Offers) > 0 && !always:
		c.report("otherwise",
			"say why nothing is offered when none of the offers holds, or let the last offer be without `when`")
	}
}

func verdictOf(e *expression) verdict {
	if e == nil {
		return verdict{}
	}
	return e.verdict
}

func (c *compiler) offer(field string, o Offer, known facts) compiledOffer {
	p := compiledOffer{expires: o.Expires, requires: o.BindRequires, terms: o.TermsURL}
	if o.When != "" {
		p.when = c.compile(field+".when", o.When, "", known, wantTruth)
		known = known.and(verdictOf(p.when).yes)
	}
	p.summary = c.text(field+".summary", o.Summary, known)
	if o.Details != "" {
		p.details = c.object(field+".details", o.Details, known)
	}
	if o.Expires != 0 && (o.Expires < time.Minute || o.Expires > MaxValidity) {
		c.report(field+".expires", "%s is not between 1m and %s", yamlconf.Span(o.Expires), yamlconf.Span(MaxValidity))
	}
	for i, name := range o.BindRequires {
		if name == "" || len(name) > maxFieldName || slices.Contains(o.BindRequires[:i], name) {
			c.report(fmt.Sprintf("%s.bind_requires[%d]", field, i), "%q is no name of a field, or there twice", name)
		}
	}
	if len(o.BindRequires) > MaxRequires {
		c.report(field+".bind_requires", "there are more than %d", MaxRequires)
	}
	if checkTerms(o.TermsURL) != nil {
		c.report(field+".terms_url", "%q is no web address; write it like https://www.example.com/terms", o.TermsURL)
	}
	return p
}

// text checks a text with expressions.
func (c *compiler) text(field, written string, known facts) *template {
	t := &template{where: field}
	parts, err := splitText(written)
	switch {
	case err != nil:
		c.report(field, "%v", err)
	case strings.TrimSpace(written) == "":
		c.report(field, "it is empty; write a sentence")
	case len(written) > MaxSummary:
		c.report(field, "it is longer than %d bytes", MaxSummary)
	}
	for _, p := range parts {
		if p.expression == "" {
			t.parts = append(t.parts, piece{literal: p.literal})
			continue
		}
		t.parts = append(t.parts, piece{expression: c.compile(field, p.expression, p.before, known, wantText)})
	}
	return t
}

func (c *compiler) object(field string, object yamlconf.Object, known facts) *tree {
	return c.tree(field, json.RawMessage(object), known)
}

// tree checks JSON with expressions in its texts.
func (c *compiler) tree(field string, raw json.RawMessage, known facts) *tree {
	switch raw[0] {
	case '{':
		t := &tree{object: true}
		members(raw, func(name string, value json.RawMessage) {
			t.names = append(t.names, name)
			t.elements = append(t.elements, c.tree(field+"."+name, value, known))
		})
		return t
	case '[':
		t := &tree{}
		var elements []json.RawMessage
		_ = json.Unmarshal(raw, &elements) // strictyaml writes JSON
		for i, value := range elements {
			t.elements = append(t.elements, c.tree(fmt.Sprintf("%s[%d]", field, i), value, known))
		}
		return t
	case '"':
		var written string
		_ = json.Unmarshal(raw, &written)
		parts, err := splitText(written)
		if err == nil && len(parts) == 1 && parts[0].expression != "" {
			return &tree{expression: c.compile(field, parts[0].expression, parts[0].before, known, wantValue)}
		}
		if written == "" {
			return &tree{literal: strictjson.Value(raw)}
		}
		return &tree{text: c.text(field, written, known)}
	}
	return &tree{literal: strictjson.Value(raw)}
}

// members goes through the members of an object in their order.
func members(raw json.RawMessage, each func(name string, value json.RawMessage)) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return
	}
	for decoder.More() {
		name, err := decoder.Token()
		var value json.RawMessage
		if err != nil || decoder.Decode(&value) == io.EOF {
			return
		}
		each(name.(string), bytes.TrimSpace(value))
	}
}
