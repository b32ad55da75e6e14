// Package terms holds the owner's rules and decides by them. It is pure: rules and facts in, a Decision out, with
// no clock and no I/O, so that every door gets the same answer and a test can ask every question.
//
// The rules are an ordered list; the first that matches an item wins. An item that no rule matches is blocked.
package terms

// Access says how far an open door may go with an item.
type Access string

// The kinds of access.
const (
	Open     Access = "open"     // shown whole
	Licensed Access = "licensed" // shown as a notice with one fixed excerpt
	Blocked  Access = "blocked"  // not shown, not counted, not hinted at
)

// Facts are what rules can match on.
type Facts struct {
	Site   string
	Source string
	URL    string
	Types  []string
}

// Decision is what the rules say about one item.
type Decision struct {
	Access       Access
	Labels       []string // editorial domains
	ExcerptWords int      // how many words of a licensed item an open door may show; 0 for none
	Permit       []string // functions that the owner permits
	Prohibit     []string // functions that the owner prohibits
	Rule         int      // index of the rule that decided, -1 if none matched
	Line         int      // its line in the file it came from, 0 if it came from none
	Reason       string   // one sentence in plain words
}
