// Package actions says what can be done with an item (NLWeb 0.55 §5): by the owner's templates,
// filled in for each item that they match, and by what the item's own schema.org potentialAction
// names. An action that does not hold up to the protocol, points anywhere but to http or https, or
// carries credentials is not told.
//
// It is pure: a released item goes in, JSON comes out. It sees only what was released, so that an
// action of a licensed item cannot say more than its notice.
package actions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// Template is an action as the owner writes it. In its texts, `{url}`, `{name}`, or any member of
// the item, also one within another as `{offers.price}`, stands for the item's value. Exactly one
// of HTTP, MCP and A2A is set.
type Template struct {
	// Match says which items can be acted on so, with the conditions of terms; `{}` matches
	// everything.
	Match policy.Match `yaml:"match,required"`
	// Name names the action for programs: letters, digits, dots, dashes and underscores.
	Name string `yaml:"name,required"`
	// Description tells people and models what the action does.
	Description string `yaml:"description,required"`
	// Type is a schema.org type of action, such as `OrderAction`.
	Type string `yaml:"type"`
	// HTTP says how the action is done by a request.
	HTTP HTTPCall `yaml:"http"`
	// MCP says how the action is done by a tool.
	MCP ToolCall `yaml:"mcp"`
	// A2A says how the action is done by another agent.
	A2A AgentCall `yaml:"a2a"`
}

// HTTPCall is an action that a request does.
type HTTPCall struct {
	// Method is `GET`, `POST`, `PUT`, `PATCH` or `DELETE`.
	Method string `yaml:"method"`
	// Endpoint is an http or https address. Values of the item may stand in its path and query, or
	// `{url}` at its beginning.
	Endpoint string `yaml:"endpoint"`
	// Params are what to send. A value that is one placeholder and nothing else, as
	// `"{recipeIngredient}"`, becomes the item's value as it is, a list for example.
	Params yamlconf.Object `yaml:"params"`
	// Headers are sent along. They are told to everyone: names and values that look like
	// credentials are errors.
	Headers yamlconf.Object `yaml:"headers"`
}

// ToolCall is an action that a tool of an MCP server does.
type ToolCall struct {
	// Server is the MCP server's name or its http or https address.
	Server string `yaml:"server"`
	// Tool is the tool's name.
	Tool string `yaml:"tool"`
	// Arguments are the tool's; placeholders are as in params.
	Arguments yamlconf.Object `yaml:"arguments"`
}

// AgentCall is an action that another agent does.
type AgentCall struct {
	// AgentURL is the agent's http or https address.
	AgentURL string `yaml:"agent_url"`
	// Skill is the skill that is asked for.
	Skill string `yaml:"skill"`
	// Message is the message to send; placeholders are as in params.
	Message yamlconf.Object `yaml:"message"`
}

// The bounds of an item's actions.
const (
	maxActions = 16
	maxAction  = 8 << 10 // bytes of one
	maxName    = 64
	maxText    = 1000 // bytes of a description
)

// Error is one thing that is wrong with a template.
type Error struct {
	Template int    // its index
	Field    string // where in it, as a key path: "http.endpoint"
	Detail   string // what is wrong and what would be right
}

func (e *Error) Error() string {
	return fmt.Sprintf("action %d, %s: %s", e.Template+1, e.Field, e.Detail)
}

// Set is the owner's templates, compiled. The nil Set has none. It never changes and may be used
// from many goroutines.
type Set struct {
	templates []template
	isA       func(t, ancestor string) bool
}

// template is a Template that was found good.
type template struct {
	sold    bool // it is of items that are for sale
	matcher *policy.Matcher
	head    head
	call    call
}

// head is what actions of all protocols have.
type head struct{ typ, name, description string }

// New compiles templates. isA says whether a schema.org type is another or below it. The error
// joins one *Error for each thing that is wrong.
func New(templates []Template, isA func(t, ancestor string) bool) (*Set, error) {
	s := &Set{isA: isA}
	var findings []error
	for i, written := range templates {
		c := compiler{index: i}
		compiled := c.compile(written, isA)
		findings = append(findings, c.findings...)
		s.templates = append(s.templates, compiled)
	}
	if len(findings) > 0 {
		return nil, errors.Join(findings...)
	}
	return s, nil
}

// Selling adds templates of what can be done with items that are for sale, behind the others. It is
// called before the set is used.
func (s *Set) Selling(templates ...Template) error {
	more, err := New(templates, s.isA)
	if err != nil {
		return err
	}
	for _, t := range more.templates {
		t.sold = true
		s.templates = append(s.templates, t)
	}
	return nil
}

// Append appends the actions of an item as a JSON array, and says whether there are any. object is
// what was released of the item; where the item is only announced (licensed), it is the notice.
// sold says whether the item is for sale.
func (s *Set) Append(dst []byte, facts policy.Facts, sold bool, object []byte) (_ []byte, some bool) {
	if s == nil {
		return dst, false
	}
	var filled []head
	item := &item{facts: facts, released: object}
	start := len(dst)
	dst = append(dst, '[')
	add := func(h head, c call) {
		if len(filled) == maxActions || taken(filled, h.name) {
			return
		}
		before := len(dst)
		if before > start+1 {
			dst = append(dst, ',')
		}
		dst = appendAction(dst, h, c)
		if len(dst)-before > maxAction {
			dst = dst[:before]
			return
		}
		filled = append(filled, h)
	}
	for _, t := range s.templates {
		if (sold || !t.sold) && t.matcher.Matches(facts) {
			if h, c, ok := t.fill(item); ok {
				add(h, c)
			}
		}
	}
	if bytes.Contains(object, []byte(`"potentialAction"`)) {
		for _, own := range item.potential(s.isA) {
			add(own.head, own.call)
		}
	}
	if len(filled) == 0 {
		return dst[:start], false
	}
	return append(dst, ']'), true
}

func taken(filled []head, name string) bool {
	for _, h := range filled {
		if h.name == name {
			return true
		}
	}
	return false
}

// fill puts the item's values in. It is not ok when the item lacks one, or when what comes out does
// not hold up.
func (t template) fill(i *item) (head, call, bool) {
	h := t.head
	var ok bool
	if h.description, ok = i.text(h.description, asIs); !ok || h.description == "" {
		return h, nil, false
	}
	h.description = clip(h.description)
	c, ok := t.call.fill(i)
	return h, c, ok
}

func clip(text string) string {
	if len(text) <= maxText {
		return text
	}
	return strings.ToValidUTF8(text[:maxText], "") + " …"
}

// appendAction writes an action in the protocol's order.
func appendAction(dst []byte, h head, c call) []byte {
	dst = append(dst, '{')
	if h.typ != "" {
		dst = appendMember(dst, "@context", "https://schema.org")
		dst = appendMember(dst, "@type", h.typ)
	}
	dst = appendMember(dst, "name", h.name)
	dst = appendMember(dst, "description", h.description)
	dst = c.append(dst)
	return append(dst, '}')
}

// appendMember appends a member of an object that is being written; a value of nil is left out.
func appendMember(dst []byte, name string, value any) []byte {
	if tree, is := value.(map[string]any); is && tree == nil {
		return dst
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // angle brackets stay as they are in the rest of an answer
	if err := encoder.Encode(value); err != nil {
		panic(fmt.Sprintf("action: encode %T: %v", value, err)) // it was read from JSON
	}
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(append(append(dst, '"'), name...), `":`...)
	return append(dst, bytes.TrimSpace(b.Bytes())...)
}

// isName is how programs can name something.
var isName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*$`)
