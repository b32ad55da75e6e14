package biscuit

import (
	"encoding/binary"
	"fmt"
)

// origin is a set of blocks, a bit for each: those that a fact comes from, or those that a rule
// trusts. The facts of the authorizer, and of the request, have a bit of their own.
type origin uint64

const (
	fromAuthority  origin = 1
	fromAuthorizer origin = 1 << 63
)

func fromBlock(i int) origin { return 1 << i }

// fact is a fact of the world and where it comes from.
type fact struct {
	terms  []term
	origin origin
}

// relation names facts that rules can look for together.
type relation struct {
	name  string
	arity int
}

// world is what is known while one token is evaluated for one request.
type world struct {
	facts  map[relation][]fact
	count  int
	limits Limits
	meter  meter
	thirds []PublicKey // who signed each block besides

	known   map[string]struct{} // identities of facts, where there are rules
	scratch []byte
}

// meter counts what evaluating takes.
type meter struct {
	left  int
	until int // the meter asks stop when left falls below
	stop  func() bool
}

// stopEvery is after how many steps the clock of whoever asks is looked at.
const stopEvery = 4096

func (m *meter) spend(steps int) error {
	if m.left -= steps; m.left < 0 {
		return fmt.Errorf("%w: steps", ErrLimit)
	}
	if m.left < m.until {
		m.until = m.left - stopEvery
		if m.stop != nil && m.stop() {
			return fmt.Errorf("%w: time", ErrLimit)
		}
	}
	return nil
}

// add puts a fact into the world.
func (w *world) add(name string, terms []term, from origin) error {
	if w.count++; w.count > w.limits.Facts {
		return fmt.Errorf("%w: more than %d facts", ErrLimit, w.limits.Facts)
	}
	at := relation{name, len(terms)}
	w.facts[at] = append(w.facts[at], fact{terms, from})
	return nil
}

// news notes a fact, and tells whether the same was not known of the same origin.
func (w *world) news(name string, terms []term, from origin) bool {
	key := binary.LittleEndian.AppendUint64(w.scratch[:0], uint64(from))
	key = append(binary.AppendUvarint(key, uint64(len(name))), name...)
	key = binary.AppendUvarint(key, uint64(len(terms)))
	for i := range terms {
		key = terms[i].appendIdentity(key)
	}
	w.scratch = key
	if _, known := w.known[string(key)]; known {
		return false
	}
	w.known[string(key)] = struct{}{}
	return true
}

// trusts is what a rule of a block trusts. Without scopes of its own that is what its block trusts,
// where that has none the authority block; always with the block itself and the authorizer.
func (w *world) trusts(scopes []scope, otherwise, self origin, block int) origin {
	trusted := self | fromAuthorizer
	if len(scopes) == 0 {
		return trusted | otherwise
	}
	for _, s := range scopes {
		switch s.kind {
		case scopeAuthority:
			trusted |= fromAuthority
		case scopePrevious:
			if block >= 0 { // the authorizer has nothing before it
				trusted |= fromBlock(block+1) - 1
			}
		case scopeKey:
			for i, key := range w.thirds {
				if key == s.key && key != (PublicKey{}) {
					trusted |= fromBlock(i)
				}
			}
		}
	}
	return trusted
}

// derivation is a rule with what it trusts.
type derivation struct {
	rule    *rule
	trusted origin
	self    origin
}

// derive applies rules, round by round, until they give nothing new.
func (w *world) derive(rules []derivation) error {
	if len(rules) == 0 {
		return nil
	}
	w.known = make(map[string]struct{}, w.count)
	for at, facts := range w.facts {
		for _, f := range facts {
			w.news(at.name, f.terms, f.origin)
		}
	}
	type derived struct {
		name  string
		terms []term
		from  origin
	}
	for round := 1; ; round++ {
		var found []derived
		for _, r := range rules {
			err := w.match(r.rule, r.trusted, func(values []term, from origin) (bool, error) {
				terms := make([]term, len(r.rule.head.terms))
				cost := 1
				for i, t := range r.rule.head.terms {
					if t.kind == kindVariable {
						t = values[t.n]
					}
					terms[i] = t
					cost += t.weight()
				}
				if !w.news(r.rule.head.name, terms, from|r.self) {
					return true, w.meter.spend(cost)
				}
				found = append(found, derived{r.rule.head.name, terms, from | r.self})
				if w.count+len(found) > w.limits.Facts {
					return false, fmt.Errorf("%w: more than %d facts", ErrLimit, w.limits.Facts)
				}
				return true, w.meter.spend(cost)
			})
			if err != nil {
				return err
			}
		}
		if len(found) == 0 {
			return nil
		}
		if round >= w.limits.Iterations {
			return fmt.Errorf("%w: rules go on after %d rounds", ErrLimit, w.limits.Iterations)
		}
		for _, f := range found {
			if err := w.add(f.name, f.terms, f.from); err != nil {
				return err
			}
		}
	}
}

// join walks through the ways in which facts that a rule trusts match its body.
type join struct {
	world   *world
	rule    *rule
	trusted origin
	bound   []bool
	environment
	found   func(values []term, from origin) (more bool, err error)
	partial func() (more bool, err error) // instead of found, where an expression is false
	stopped bool
}

// match calls found for each way in which the body of a rule matches and its expressions are all
// true, until found wants no more of them.
func (w *world) match(r *rule, trusted origin, found func(values []term, from origin) (more bool, err error)) error {
	return w.walk(&join{rule: r, trusted: trusted, found: found, partial: func() (bool, error) { return true, nil }})
}

func (w *world) walk(j *join) error {
	j.world = w
	j.bound = make([]bool, j.rule.variables)
	j.environment = environment{values: make([]term, j.rule.places), meter: &w.meter}
	return j.from(0, 0)
}

// from matches the body from one predicate on.
func (j *join) from(at int, origins origin) error {
	if at == len(j.rule.body) {
		return j.complete(origins)
	}
	p := &j.rule.body[at]
	for i := range j.world.facts[relation{p.name, len(p.terms)}] {
		f := &j.world.facts[relation{p.name, len(p.terms)}][i]
		if err := j.meter.spend(1); err != nil {
			return err
		}
		if f.origin&^j.trusted != 0 {
			continue
		}
		if err := j.try(p, f, at, origins); err != nil || j.stopped {
			return err
		}
	}
	return nil
}

// try matches one predicate with one fact and, where that goes, the rest of the body.
func (j *join) try(p *predicate, f *fact, at int, origins origin) error {
	var fresh uint64 // which of the terms bound a variable
	fits := true
	for i := 0; i < len(p.terms) && fits; i++ {
		t := &p.terms[i]
		switch {
		case t.kind != kindVariable:
			fits = equal(t, &f.terms[i])
		case j.bound[t.n]:
			fits = equal(&j.values[t.n], &f.terms[i])
		default:
			j.bound[t.n], j.values[t.n] = true, f.terms[i]
			fresh |= 1 << i
		}
	}
	var err error
	if fits {
		err = j.from(at+1, origins|f.origin)
	}
	for i := 0; fresh != 0; i++ {
		if fresh&(1<<i) != 0 {
			j.bound[p.terms[i].n] = false
			fresh &^= 1 << i
		}
	}
	return err
}

// complete evaluates the expressions over a whole match.
func (j *join) complete(origins origin) error {
	holds := true
	for _, e := range j.rule.expressions {
		result, err := j.evaluate(e)
		if err != nil {
			return err
		}
		if result.kind != kindBool {
			return errType
		}
		if !result.truth() {
			holds = false
			break
		}
	}
	var more bool
	var err error
	if holds {
		more, err = j.found(j.values, origins)
	} else {
		more, err = j.partial()
	}
	j.stopped = !more
	return err
}

// any tells whether a query matches.
func (w *world) any(r *rule, trusted origin) (bool, error) {
	matched := false
	err := w.match(r, trusted, func([]term, origin) (bool, error) {
		matched = true
		return false, nil
	})
	return matched, err
}

// all tells whether a query matches, and its expressions are true wherever its predicates match.
func (w *world) all(r *rule, trusted origin) (bool, error) {
	matched, always := false, true
	err := w.walk(&join{
		rule: r, trusted: trusted,
		found:   func([]term, origin) (bool, error) { matched = true; return true, nil },
		partial: func() (bool, error) { always = false; return false, nil },
	})
	return matched && always, err
}
