package identity

import "slices"

// The roles of people at the owner's console.
const (
	Owner    = "owner"    // may do everything
	Operator = "operator" // does the daily work: keys, requests, sales, terms
	Editor   = "editor"   // mends answers: questions, tuning, content
	Viewer   = "viewer"   // sees, and changes nothing
)

// PersonRoles are all roles of people, the mightiest first.
var PersonRoles = []string{Owner, Operator, Editor, Viewer}

// Right is what a page or an operation asks of a person.
type Right string

// The rights.
const (
	See     Right = "see"     // reads pages
	Tune    Right = "tune"    // changes questions, tuning and content
	Operate Right = "operate" // changes keys, requests, sales and terms
	Own     Right = "own"     // changes people and settings
)

// holders are the roles that have each right. Pages and operations name a right; who may use them
// is said here alone.
var holders = map[Right][]string{
	See:     {Owner, Operator, Editor, Viewer},
	Tune:    {Owner, Operator, Editor},
	Operate: {Owner, Operator},
	Own:     {Owner},
}

// May says whether a role has a right. An unknown right is nobody's.
func May(role string, right Right) bool { return slices.Contains(holders[right], role) }
