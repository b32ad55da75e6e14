package terms

import (
	"fmt"
	"slices"
	"strings"
)

// Rule is one of the owner's rules as written.
type Rule struct {
	// Match says which items the rule is for. All of its conditions must hold; `{}` matches everything.
	Match Match `yaml:"match,required" json:"match"`
	// Access says how far the open doors go: `open` shows an item whole, `licensed` shows type, URL, name, image,
	// dates, publisher and one fixed excerpt, `blocked` shows nothing and gives no hint.
	Access Access `yaml:"access,required" json:"access"`
	// Labels are the editorial domains of the items, such as `finance.markets`.
	Labels []string `yaml:"labels" json:"labels,omitempty"`
	// Excerpt says what an open door shows of a licensed item's text.
	Excerpt Excerpt `yaml:"excerpt" json:"excerpt"`
	// Functions say what the items may be used for.
	Functions Functions `yaml:"functions" json:"functions"`
	// Line is where the rule begins in its file, 0 if it comes from none.
	Line int `yaml:",line" json:"-"`
}

// Match is a rule's conditions. A condition with several values holds when one of them does; a condition that is
// left out holds for everything.
type Match struct {
	// Path is one glob or several over the path of the item's URL: `*` stands for anything within a segment, `**`
	// for any number of whole segments, none included. `/premium/**` is the page `/premium` and all below it.
	// Percent-encoding, doubled slashes, dot segments and a slash at the end make no difference.
	Path []string `yaml:"path" json:"path,omitempty"`
	// Host is the host of the item's URL; `*.example.com` means every host below example.com, but not itself.
	Host []string `yaml:"host" json:"host,omitempty"`
	// Site is the id of a site.
	Site []string `yaml:"site" json:"site,omitempty"`
	// Source is the name of a source.
	Source []string `yaml:"source" json:"source,omitempty"`
	// Type is a schema.org type; an item of a type below it in the class tree matches too.
	Type []string `yaml:"type" json:"type,omitempty"`
}

// Excerpt is what an open door shows of a licensed item's text.
type Excerpt struct {
	// Words is the excerpt's length in words; 0 shows none.
	Words int `yaml:"words" json:"words"`
}

// Functions name uses of an item: `search`, `ai-input`, `ai-index`, `ai-train`, `ai-all` (the three before) and
// `all`.
type Functions struct {
	// Permit lists the only functions that are allowed; without it all are that are not prohibited.
	Permit []string `yaml:"permit" json:"permit,omitempty"`
	// Prohibit lists functions that are not allowed, whatever `permit` says.
	Prohibit []string `yaml:"prohibit" json:"prohibit,omitempty"`
}

// maxExcerpt bounds an excerpt: more is no excerpt, but the text.
const maxExcerpt = 500

// functions is the vocabulary of Functions.
var functions = []string{"search", "ai-input", "ai-index", "ai-train", "ai-all", "all"}

// covers says whether the function group covers function.
func covers(group, function string) bool {
	return group == function || group == "all" || group == "ai-all" && strings.HasPrefix(function, "ai-")
}

// RuleError is one thing that is wrong with a rule.
type RuleError struct {
	Rule   int    // index of the rule
	Line   int    // its line, 0 if unknown
	Field  string // where in the rule, as a key path: "match.path[1]"
	Detail string // what is wrong and what would be right
}

// Error names the rule as its owner counts: from one.
func (e *RuleError) Error() string {
	return fmt.Sprintf("%s, %s: %s", ruleName(e.Rule, e.Line), e.Field, e.Detail)
}

func ruleName(index, line int) string {
	if line == 0 {
		return fmt.Sprintf("rule %d", index+1)
	}
	return fmt.Sprintf("rule %d (line %d)", index+1, line)
}

// checker collects what is wrong with one rule.
type checker struct {
	index, line int
	findings    []error
}

func (c *checker) report(field, format string, args ...any) {
	c.findings = append(c.findings, &RuleError{c.index, c.line, field, fmt.Sprintf(format, args...)})
}

// check reports what is wrong with a rule beside its patterns, which compile reports.
func (c *checker) check(r Rule) {
	switch r.Access {
	case Open, Licensed, Blocked:
	default:
		c.report("access", "%q is none of open, licensed, blocked", r.Access)
	}
	switch {
	case r.Excerpt.Words < 0 || r.Excerpt.Words > maxExcerpt:
		c.report("excerpt.words", "%d is not between 0 and %d", r.Excerpt.Words, maxExcerpt)
	case r.Excerpt.Words > 0 && r.Access != Licensed:
		c.report("excerpt", "an excerpt is shown of licensed items only; remove it or write access: licensed")
	}
	for i, label := range r.Labels {
		if label == "" || len(label) > 100 || strings.ContainsFunc(label, notWord) {
			c.report(fmt.Sprintf("labels[%d]", i), "%q is no label: use letters, digits, dots, dashes, like finance.markets", label)
		}
	}
	c.checkFunctions("functions.permit", r.Functions.Permit)
	c.checkFunctions("functions.prohibit", r.Functions.Prohibit)
	for i, f := range r.Functions.Permit {
		if slices.Contains(r.Functions.Prohibit, f) {
			c.report(fmt.Sprintf("functions.permit[%d]", i), "%q is prohibited by the same rule; keep one of the two", f)
		}
	}
}

func (c *checker) checkFunctions(field string, names []string) {
	for i, name := range names {
		if !slices.Contains(functions, name) {
			c.report(fmt.Sprintf("%s[%d]", field, i), "%q is no function; there are %s", name, strings.Join(functions, ", "))
		}
	}
}

func notWord(r rune) bool { return r <= ' ' || r == 0x7f || r == '"' || r == ',' }

// Warning is something in rules that works and is probably not meant.
type Warning struct {
	Rule   int // index of the rule
	Line   int
	Detail string
}

// Warnings finds rules that can never be reached, and says so when the last rule leaves items without a rule.
func (t *Terms) Warnings() []Warning {
	var found []Warning
	last := len(t.rules) - 1
	for i, c := range t.rules {
		switch all := c.matchesEverything(); {
		case all && i < last:
			found = append(found, Warning{i + 1, t.rules[i+1].rule.Line, fmt.Sprintf(
				"no item gets here: %s before it matches everything; move that one to the end", c.name())})
			return found
		case !all && i == last:
			found = append(found, Warning{i, c.rule.Line,
				"items that no rule matches are blocked; end the list with a rule for everything else, `match: {}`, to say so or to open them"})
		}
	}
	return found
}
