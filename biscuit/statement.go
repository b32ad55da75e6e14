package biscuit

import "fmt"

// predicate is a name with terms: a fact, where none of them is a variable.
type predicate struct {
	name  string
	terms []term
}

// scope is one element of what a rule or a block trusts.
type scope struct {
	kind scopeKind
	key  PublicKey
}

type scopeKind uint8

const (
	scopeAuthority scopeKind = iota
	scopePrevious
	scopeKey
)

// rule is a rule, or one query of a check or a policy. The variables of body and head have places 0
// to variables-1; the parameters of closures have places from there on, below places.
type rule struct {
	head        predicate
	body        []predicate
	expressions []*node
	trusting    []scope
	variables   int
	places      int
	names       []string // of the variables, by place
}

type checkKind uint8

const (
	checkIf checkKind = iota
	checkAll
	rejectIf
)

type check struct {
	kind    checkKind
	queries []rule
}

type policy struct {
	deny    bool
	queries []rule
}

// statements are the content of a block, or of an authorizer.
type statements struct {
	trusting []scope
	facts    []predicate
	rules    []rule
	checks   []check
	policies []policy
}

// bind gives the variables of a rule their places, and refuses what no evaluation could make sense
// of: variables of the head or of an expression that the body does not bind, and parameters of
// closures that hide another variable.
func (r *rule) bind() error {
	place := map[string]int{}
	for i := range r.body {
		for j := range r.body[i].terms {
			t := &r.body[i].terms[j]
			if t.kind != kindVariable {
				continue
			}
			at, known := place[t.s]
			if !known {
				at = len(r.names)
				place[t.s] = at
				r.names = append(r.names, t.s)
			}
			t.n = int64(at)
		}
	}
	r.variables, r.places = len(r.names), len(r.names)
	for i := range r.head.terms {
		t := &r.head.terms[i]
		if t.kind != kindVariable {
			continue
		}
		at, known := place[t.s]
		if !known {
			return fmt.Errorf("the head of a rule has a variable that its body does not bind")
		}
		t.n = int64(at)
	}
	for _, e := range r.expressions {
		if err := r.bindNode(e, place, 0); err != nil {
			return err
		}
	}
	return nil
}

func (r *rule) bindNode(e *node, place map[string]int, depth int) error {
	if e == nil {
		return nil
	}
	if depth > maxDepth {
		return fmt.Errorf("an expression is nested more than %d deep", maxDepth)
	}
	if e.op == opValue && e.value.kind == kindVariable {
		at, known := place[e.value.s]
		if !known {
			return fmt.Errorf("an expression has a variable that nothing binds")
		}
		e.value.n = int64(at)
	}
	for i := range e.parameters {
		name := e.parameters[i].s
		if _, known := place[name]; known {
			return fmt.Errorf("a parameter of a closure hides another variable")
		}
		place[name] = r.places
		e.parameters[i].n = int64(r.places)
		r.places++
	}
	for _, argument := range []*node{e.left, e.right} {
		if err := r.bindNode(argument, place, depth+1); err != nil {
			return err
		}
	}
	for i := range e.parameters {
		delete(place, e.parameters[i].s)
	}
	return nil
}
