package actions

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"frontdesk/internal/infra/yamlconf"
	"frontdesk/internal/policy"
)

// compiler checks one template and makes it ready.
type compiler struct {
	index    int
	findings []error
}

func (c *compiler) report(field, format string, args ...any) {
	c.findings = append(c.findings, &Error{c.index, field, fmt.Sprintf(format, args...)})
}

func (c *compiler) compile(t Template, isA func(t, ancestor string) bool) template {
	matcher, err := policy.Options{IsA: isA}.Matcher(t.Match)
	c.matchErrors(err)
	if !isName.MatchString(t.Name) || len(t.Name) > maxName {
		c.report("name", "%q is no name; use up to %d letters, digits, dots, "+
			"dashes and underscores, beginning with a letter", t.Name, maxName)
	}
	if strings.TrimSpace(t.Description) == "" {
		c.report("description", "say in a sentence what the action does")
	}
	typ := policy.BareType(t.Type)
	if typ != "" && !isName.MatchString(typ) {
		c.report("type", "%q is no type; write one like OrderAction", t.Type)
	}
	return template{matcher: matcher, head: head{typ, t.Name, t.Description}, call: c.call(t)}
}

func (c *compiler) matchErrors(err error) {
	joined, several := err.(interface{ Unwrap() []error })
	if !several {
		return
	}
	for _, e := range joined.Unwrap() {
		var rule *policy.RuleError
		if errors.As(e, &rule) {
			c.report(rule.Field, "%s", rule.Detail)
		}
	}
}

// call makes the one call that is given.
func (c *compiler) call(t Template) call {
	var given []string
	var made call
	if t.HTTP != (HTTPCall{}) {
		given, made = append(given, "http"), c.http(t.HTTP)
	}
	if t.MCP != (ToolCall{}) {
		given, made = append(given, "mcp"), c.tool(t.MCP)
	}
	if t.A2A != (AgentCall{}) {
		given, made = append(given, "a2a"), c.agent(t.A2A)
	}
	switch len(given) {
	case 0:
		c.report("http", "say how the action is done: with a section http, mcp or a2a")
	case 1:
	default:
		c.report(given[1], "there is %s too; keep one of the two, or write two actions", given[0])
	}
	return made
}

var methods = []string{"GET", "POST", "PUT", "PATCH", "DELETE"}

func (c *compiler) http(h HTTPCall) call {
	made := httpCall{method: strings.ToUpper(h.Method), endpoint: h.Endpoint}
	if !slices.Contains(methods, made.method) {
		c.report("http.method", "%q is none of %s", h.Method, strings.Join(methods, ", "))
	}
	c.address("http.endpoint", h.Endpoint)
	made.params = c.object("http.params", h.Params)
	made.headers = c.object("http.headers", h.Headers)
	if err := checkHeaders(made.headers); err != nil {
		c.report("http.headers", "%v", err)
	}
	return made
}

func (c *compiler) tool(t ToolCall) call {
	if t.Server == "" || placeholder.MatchString(t.Server) {
		c.report("mcp.server", "name the MCP server, without placeholders")
	} else if strings.Contains(t.Server, "://") {
		c.address("mcp.server", t.Server)
	}
	if t.Tool == "" || placeholder.MatchString(t.Tool) {
		c.report("mcp.tool", "name the tool, without placeholders")
	}
	return toolCall{t.Server, t.Tool, c.object("mcp.arguments", t.Arguments)}
}

func (c *compiler) agent(a AgentCall) call {
	c.address("a2a.agent_url", a.AgentURL)
	if a.Skill == "" || placeholder.MatchString(a.Skill) {
		c.report("a2a.skill", "name the skill, without placeholders")
	}
	return agentCall{a.AgentURL, a.Skill, c.object("a2a.message", a.Message)}
}

// fixedHost is the beginning of an address whose host is the owner's and no item's.
var fixedHost = regexp.MustCompile(`^(?i:https?)://[^/?#{}\s]+([/?#]|$)`)

// address checks an address as far as it is known before an item's values are in it.
func (c *compiler) address(field, text string) {
	first := placeholder.FindStringIndex(text)
	switch {
	case text == "":
		c.report(field, "write an address, like https://api.example.com/order")
		return
	case first != nil && first[0] == 0: // the item's own address, which is checked with each item
		return
	case !fixedHost.MatchString(text), first != nil && !fixedHost.MatchString(text[:first[0]]+"{"):
		c.report(field, "%q does not begin with http:// or https:// and a host of yours; "+
			"placeholders may stand in its path and query", text)
		return
	}
	if err := checkAddress(placeholder.ReplaceAllString(text, "x")); err != nil {
		c.report(field, "%v", err)
	}
}

// checkAddress says what is wrong with an address that is to be told.
func checkAddress(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil || len(text) > 2048 || strings.ContainsFunc(text, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune(`{}\<>"`, r)
	}):
		return errors.New("it cannot be read as a web address")
	case u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.Opaque != "":
		return errors.New("only http and https addresses are told")
	case u.User != nil:
		return errors.New("it has a user or password in it, which everyone would be told; leave them out")
	}
	for name := range u.Query() {
		if isCredential(name) {
			return fmt.Errorf("its parameter %s looks like a credential, which everyone would be told; leave it out",
				name)
		}
	}
	return nil
}

// object reads what strictyaml made of the owner's keys and values.
func (c *compiler) object(field string, object yamlconf.Object) map[string]any {
	if object == "" {
		return nil
	}
	tree, err := decode([]byte(object))
	members, is := tree.(map[string]any)
	if err != nil || !is {
		c.report(field, "it should be keys with values")
		return nil
	}
	return members
}

// decode reads JSON; numbers keep their text.
func decode(text []byte) (any, error) {
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	var tree any
	err := decoder.Decode(&tree)
	return tree, err
}

var headerName = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

// checkHeaders says what is wrong with headers that are to be told to everyone.
func checkHeaders(headers map[string]any) error {
	for name, value := range headers {
		text, is := value.(string)
		switch {
		case !headerName.MatchString(name):
			return fmt.Errorf("%q is no name of a header", name)
		case isCredential(name):
			return fmt.Errorf("%s looks like a credential, which everyone would be told; "+
				"whoever does the action brings his own", name)
		case !is || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }):
			return fmt.Errorf("the value of %s should be a text of one line", name)
		case credentialValue.MatchString(text):
			return fmt.Errorf("the value of %s looks like a credential, which everyone would be told; "+
				"whoever does the action brings his own", name)
		}
	}
	return nil
}

var credentialValue = regexp.MustCompile(`(?i)^\s*(bearer|basic|digest|token|apikey)\s+\S`)

// credentials are words in names of headers and parameters that speak of secrets.
var credentials = []string{
	"auth", "authorization", "bearer", "cookie", "credential", "credentials", "jwt", "key", "apikey", "passphrase",
	"passwd", "password", "pwd", "secret", "session", "sessionid", "sid", "sig", "signature", "token",
}

var words = regexp.MustCompile(`[A-Z]?[a-z]+|[A-Z]+`)

// isCredential says whether a name speaks of a secret: as one of its words ("X-Auth", "apiKey"), or
// written together.
func isCredential(name string) bool {
	for _, word := range words.FindAllString(name, -1) {
		if slices.Contains(credentials, strings.ToLower(word)) {
			return true
		}
	}
	lower := strings.ToLower(name)
	for _, part := range []string{"token", "secret", "password", "apikey", "cookie", "authoriz", "credential"} {
		if strings.Contains(lower, part) {
			return true
		}
	}
	return slices.Contains(credentials, lower)
}
