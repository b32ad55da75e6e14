package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Rule is one of the owner's rules as written.
type Rule struct {
	// Match says which items the rule is for. All of its conditions must hold; `{}` matches
	// everything.
	Match Match `yaml:"match,required" json:"match"`
	// Access says how much questions, feeds and agents' tools show: `open` shows an item whole,
	// `licensed` shows type, URL, name, image, dates, publisher and one fixed excerpt, `blocked`
	// shows nothing and gives no hint.
	Access Access `yaml:"access,required" json:"access"`
	// Labels are the editorial domains of the items, such as `finance.markets`.
	Labels []string `yaml:"labels" json:"labels,omitempty"`
	// Excerpt sets the excerpt of a licensed item.
	Excerpt Excerpt `yaml:"excerpt" json:"excerpt"`
	// Functions say what the items may be used for.
	Functions Functions `yaml:"functions" json:"functions"`
	// Users say who may use the items: `commercial`, `non-commercial`, `education`, `government`,
	// `personal`.
	Users Restriction `yaml:"users" json:"users,omitzero"`
	// Countries say where the items may be used, by ISO 3166-1 codes of two capital letters such as
	// `DE`.
	Countries Restriction `yaml:"countries" json:"countries,omitzero"`
	// Parties say who gets the items at all, by class (`verified`, `known`, `agent`, `anonymous`,
	// `training`, `search`, `assistant`, `data`), by an operator's origin (`https://openai.com`) or
	// by an agent's name (`GPTBot`). For everybody else they are blocked. `permit` needs proof; for
	// `prohibit` an agent's own word is enough.
	Parties Restriction `yaml:"parties" json:"parties,omitzero"`
	// Display limits what a platform may show its users of the items that it got.
	Display Display `yaml:"display" json:"display,omitzero"`
	// Price is what the items cost.
	Price Price `yaml:"price" json:"price,omitzero"`
	// Reporting sets what buyers must report.
	Reporting Reporting `yaml:"reporting" json:"reporting,omitzero"`
	// Delivery lists the only ways of delivery: `direct` in the answer, `instructions` with an
	// address, `streaming` as a stream of events. Without it, live items are streamed, and all
	// others delivered whole.
	Delivery []string `yaml:"delivery" json:"delivery,omitempty"`
	// Scopes are rights of a buyer, such as `credit:read`: a domain or profile and a permission,
	// parted by colons. A buyer needs one of them to get an offer, and you grant them; its own
	// claim does not count. Without this key, everybody whom the other keys permit gets an offer.
	Scopes []string `yaml:"scopes" json:"scopes,omitempty"`
	// Imported says how terms count that the items themselves and the site's RSL documents state.
	// `obey` (the default) lets them narrow the rule, never widen it; `ignore` ignores them.
	Imported string `yaml:"imported" json:"imported,omitempty"`
	// Line is where the rule begins in its file, 0 if it comes from none.
	Line int `yaml:",line" json:"-"`
}

// Match is a rule's conditions. A condition with several values holds when one of them does; a
// condition that is left out holds for everything.
type Match struct {
	// Path is one glob or several over the path of the item's URL: `*` stands for anything within a
	// segment, `**` for any number of whole segments, none included. `/premium/**` is the page
	// `/premium` and all below it. Percent-encoding, doubled slashes, dot segments and a slash at
	// the end make no difference.
	Path []string `yaml:"path" json:"path,omitempty"`
	// Host is the host of the item's URL; `*.example.com` means every host below example.com, but
	// not itself.
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

// Functions name uses of an item: `search`, `ai-input`, `ai-index`, `ai-train`, `ai-all` (the three
// before) and `all`.
type Functions struct {
	// Permit lists the only functions that are allowed. Without it, all functions are allowed that
	// `prohibit` does not list.
	Permit []string `yaml:"permit" json:"permit,omitempty"`
	// Prohibit lists functions that are not allowed, even if `permit` lists them.
	Prohibit []string `yaml:"prohibit" json:"prohibit,omitempty"`
}

// Restriction is who or where something is allowed for. What is not known of a user is in no list:
// it is not among those that are permitted, nor among those that are prohibited.
type Restriction struct {
	// Permit lists the only ones that are allowed. Without it, all are allowed that `prohibit` does
	// not list.
	Permit []string `yaml:"permit" json:"permit,omitempty"`
	// Prohibit lists the ones that are not allowed, even if `permit` lists them.
	Prohibit []string `yaml:"prohibit" json:"prohibit,omitempty"`
}

// Display bounds what may be shown to users of those who were given an item.
type Display struct {
	// Words is the most words of an item's text that may be shown literally; 0 sets no limit.
	Words int `yaml:"words" json:"words,omitempty"`
}

// Reporting is what is owed after use.
type Reporting struct {
	// Window is the time within which a use must be reported; 0 asks for no report.
	Window time.Duration `yaml:"window" json:"window,omitempty"`
}

// Price is what an item costs.
type Price struct {
	// Model is the unit of the price: `per_access`, `per_token`, `per_fetch`, `per_page`,
	// `per_minute`, `per_record`, `flat` (once, however much is used), `subscription`, `training`,
	// `revenue_share`, or no money: `free`, `attribution`, `contribution`.
	Model string `yaml:"model" json:"model,omitempty"`
	// Rate is the price of one access, token and so on, such as `"0.02"`, with up to eight
	// decimals; of `revenue_share` the share, such as `"0.15"`.
	Rate string `yaml:"rate" json:"rate,omitempty"`
	// Currency is the price's ISO 4217 code, such as `USD`.
	Currency string `yaml:"currency" json:"currency,omitempty"`
	// Months is how many months a subscription or a licence for training lasts; 0 for as long as it
	// is paid.
	Months int `yaml:"months" json:"months,omitempty"`
	// Estimate is how much of an item one use takes, in the model's unit: tokens, pages, minutes or
	// records. Without it the item's own figures count, such as its words or its duration.
	Estimate int `yaml:"estimate" json:"estimate,omitempty"`
}

// maxExcerpt bounds an excerpt: more is no excerpt, but the text.
const maxExcerpt = 500

// functions is the vocabulary of Functions.
var functions = []string{"search", "ai-input", "ai-index", "ai-train", "ai-all", "all"}

// users is the vocabulary of kinds of users, which RAMP and RSL share.
var users = []string{"commercial", "non-commercial", "education", "government", "personal"}

// deliveries is the vocabulary of ways of delivery.
var deliveries = []string{"direct", "instructions", "streaming"}

// The values of Rule.Imported.
const (
	importedObey   = "obey"
	importedIgnore = "ignore"
)

// The bounds of a reporting window.
const (
	minWindow = time.Minute
	maxWindow = 366 * 24 * time.Hour
)

// covers says whether the function group covers function.
func covers(group, function string) bool {
	return group == function || group == "all" || group == "ai-all" && strings.HasPrefix(function, "ai-")
}

// RuleError is one thing that is wrong with a rule.
type RuleError struct {
	Rule   int    // index of the rule
	Line   int    // its line, 0 if unknown
	Named  string // what it is called where it stands in no file
	Field  string // where in the rule, as a key path: "match.path[1]"
	Detail string // what is wrong and what would be right
}

// Error names the rule as its owner counts: from one.
func (e *RuleError) Error() string {
	return fmt.Sprintf("%s, %s: %s", ruleName(e.Rule, e.Line, e.Named), e.Field, e.Detail)
}

func ruleName(index, line int, named string) string {
	switch {
	case named != "":
		return named
	case line == 0:
		return fmt.Sprintf("rule %d", index+1)
	}
	return fmt.Sprintf("rule %d (line %d)", index+1, line)
}

// checker collects what is wrong with one rule.
type checker struct {
	index, line int
	named       string
	findings    []error
}

func (c *checker) report(field, format string, args ...any) {
	c.findings = append(c.findings, &RuleError{c.index, c.line, c.named, field, fmt.Sprintf(format, args...)})
}

// check reports what is wrong with a rule beside its patterns, which compile reports.
func (c *checker) check(r Rule, agents []string) {
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
			c.report(fmt.Sprintf("labels[%d]", i), "%q is no label: use letters, digits, dots, dashes, like "+
				"finance.markets", label)
		}
	}
	c.checkList("functions", Restriction(r.Functions), "function", functions)
	c.checkList("users", r.Users, "kind of user", users)
	c.checkCountries(r.Countries)
	c.checkParties(r.Parties, agents)
	for i, way := range r.Delivery {
		c.oneOf(fmt.Sprintf("delivery[%d]", i), way, "way of delivery", deliveries)
	}
	c.checkScopes(r)
	if r.Imported != "" {
		c.oneOf("imported", r.Imported, "way to treat imported terms", []string{importedObey, importedIgnore})
	}
	if r.Display.Words < 0 {
		c.report("display.words", "%d is less than nothing", r.Display.Words)
	}
	if w := r.Reporting.Window; w != 0 && (w < minWindow || w > maxWindow) {
		c.report("reporting.window", "%s is not between %s and %s", w, minWindow, maxWindow)
	}
	c.checkPrice(r.Price)
}

// checkScopes looks at the scopes that a rule asks for. A star has no place there: it is granted,
// not required.
func (c *checker) checkScopes(r Rule) {
	if r.Scopes == nil {
		return
	}
	if len(r.Scopes) == 0 {
		c.report("scopes", "the list is empty; name a scope or remove the key")
	} else if r.Access != Licensed {
		c.report("scopes", "scopes are asked for of licensed items only; remove them or write access: licensed")
	}
	for i, scope := range r.Scopes {
		segments := strings.Split(scope, ":")
		if len(segments) < 2 || len(scope) > 200 || slices.Contains(segments, "") || strings.Contains(scope, "*") ||
			strings.ContainsFunc(scope, notWord) {
			c.report(fmt.Sprintf("scopes[%d]", i), "%q is no scope; write a domain or profile and a permission, like "+
				"credit:read", scope)
		}
	}
}

// checkList looks at the names of a restriction, which are of a vocabulary.
func (c *checker) checkList(field string, r Restriction, what string, known []string) {
	c.filled(field, r)
	for i, name := range r.Permit {
		c.oneOf(fmt.Sprintf("%s.permit[%d]", field, i), name, what, known)
		if slices.Contains(r.Prohibit, name) {
			c.report(fmt.Sprintf("%s.permit[%d]", field, i),
				"%q is prohibited by the same rule; keep one of the two", name)
		}
	}
	for i, name := range r.Prohibit {
		c.oneOf(fmt.Sprintf("%s.prohibit[%d]", field, i), name, what, known)
	}
}

// filled refuses an empty list: nobody can tell whether it means none or all.
func (c *checker) filled(field string, r Restriction) {
	r.each(func(name string, list []string) {
		if list != nil && len(list) == 0 {
			c.report(field+"."+name, "the list is empty; name a value or remove the key")
		}
	})
}

func (c *checker) oneOf(field, name, what string, known []string) {
	if !slices.Contains(known, name) {
		c.report(field, "%q is no %s; there are %s", name, what, strings.Join(known, ", "))
	}
}

func notWord(r rune) bool { return r <= ' ' || r == 0x7f || r == '"' || r == ',' }

// Warning is something in rules that works and is probably not meant.
type Warning struct {
	Rule   int // index of the rule
	Line   int
	Detail string
}

// Warnings finds rules that can never be reached, and says so when the last rule leaves items
// without a rule.
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
				"items that no rule matches are blocked; end the list with a rule for everything else, `match: {}`, " +
					"to say so or to open them"})
		}
	}
	return found
}
