package terms

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"frontdesk/internal/content/ownerterms"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/operator/console/frame"
)

// document is the text of terms, in which each rule is some lines.
type document struct {
	lines []string
	begin []int // the first line of each rule, from 0, and the line behind the last one
}

// errFlow is of a document in which a rule is not lines of its own.
var errFlow = frame.Fail(fail.Invalid, "terms.fault_flow")

// readDocument finds the rules of a document, of which it was said on which lines they are.
func readDocument(text string, rules []ownerterms.ListedRule) (d document, err error) {
	d.lines = strings.Split(strings.TrimRight(text, "\n"), "\n")
	for _, r := range rules {
		if r.From == ownerterms.RuleOfContent || r.Line == 0 {
			continue
		}
		if at := r.Line - 1; at < len(d.lines) && strings.HasPrefix(strings.TrimSpace(d.lines[at]), "- ") {
			d.begin = append(d.begin, at)
			continue
		}
		return d, errFlow
	}
	if len(d.begin) == 0 || !slices.IsSorted(d.begin) {
		return d, errFlow
	}
	end := d.begin[len(d.begin)-1] + 1
	for end < len(d.lines) && (d.lines[end] == "" || strings.ContainsRune(" \t-#", rune(d.lines[end][0]))) {
		end++
	}
	d.begin = append(d.begin, end)
	return d, nil
}

// put puts the lines of the rules into an order, and may leave some out or have new ones.
func (d document) put(rules ...[]string) string {
	last := d.begin[len(d.begin)-1]
	all := slices.Concat(d.lines[:d.begin[0]], slices.Concat(rules...), d.lines[last:])
	return strings.Join(all, "\n") + "\n"
}

// rules are the lines of each rule.
func (d document) rules() (all [][]string) {
	for i, at := range d.begin[:len(d.begin)-1] {
		all = append(all, d.lines[at:d.begin[i+1]])
	}
	return all
}

// change does to a document what a button says: "up:LINE", "down:LINE" and "remove:LINE" of a rule
// by its line, or "add" a new one, as the form has it.
func (d document) change(do string, r *http.Request) (string, error) {
	rules := d.rules()
	what, line, _ := strings.Cut(do, ":")
	n, _ := strconv.Atoi(line)
	at := slices.Index(d.begin[:len(rules)], n-1)
	switch {
	case what == "add":
		fresh, err := newRule(r, d.indent())
		if err != nil {
			return "", err
		}
		place := len(rules)
		if last := rules[place-1]; strings.Contains(last[0], "match: {}") { // which is for everything else
			place--
		}
		rules = slices.Insert(rules, place, fresh)
	case at < 0:
		return "", frame.Fail(fail.Invalid, "terms.fault_line", line)
	case what == "remove" && len(rules) == 1:
		return "", frame.Fail(fail.Invalid, "terms.fault_last")
	case what == "remove":
		rules = slices.Delete(rules, at, at+1)
	case what == "up" && at > 0:
		rules[at-1], rules[at] = rules[at], rules[at-1]
	case what == "down" && at < len(rules)-1:
		rules[at], rules[at+1] = rules[at+1], rules[at]
	}
	return d.put(rules...), nil
}

// indent is what stands before the dash of a rule.
func (d document) indent() string {
	first := d.lines[d.begin[0]]
	return first[:strings.Index(first, "-")]
}

// newRule are the lines of the rule that a form describes.
func newRule(r *http.Request, indent string) (lines []string, err error) {
	get := func(name string) string { return strings.TrimSpace(r.PostForm.Get(name)) }
	match := "{}"
	switch path, typ := get("path"), get("type"); {
	case path != "" && typ != "":
		match = "{path: " + strconv.Quote(path) + ", type: " + strconv.Quote(typ) + "}"
	case path != "":
		match = "{path: " + strconv.Quote(path) + "}"
	case typ != "":
		match = "{type: " + strconv.Quote(typ) + "}"
	}
	access := get("access")
	if !slices.Contains([]string{"open", "licensed", "blocked"}, access) {
		return nil, frame.Fail(fail.Invalid, "terms.fault_access")
	}
	lines = []string{indent + "- match: " + match, indent + "  access: " + access}
	if words := get("words"); words != "" && access == "licensed" {
		if n, err := strconv.Atoi(words); err != nil || n < 0 {
			return nil, frame.Fail(fail.Invalid, "terms.fault_words")
		}
		lines = append(lines, indent+"  excerpt: {words: "+words+"}")
	}
	if rate := get("rate"); rate != "" && access == "licensed" {
		lines = append(lines, indent+"  price: {model: per_access, rate: "+strconv.Quote(rate)+", currency: "+
			strconv.Quote(strings.ToUpper(get("currency")))+"}")
	}
	if get("no_training") != "" && access != "blocked" {
		lines = append(lines, indent+"  functions: {prohibit: [ai-train]}")
	}
	return lines, nil
}
