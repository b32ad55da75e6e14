package biscuit

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Authorizer is what a service holds tokens against: facts, rules, checks and policies of its own,
// read once. It never changes.
type Authorizer struct {
	statements *statements
	limits     Limits
}

// NewAuthorizer makes an authorizer. Without a source, or with one that has no policy, whatever the
// checks of the token let through is allowed; with policies, the first of them that matches
// decides, and where none does the answer is no. Zero limits are those of DefaultLimits.
func NewAuthorizer(source *Source, limits Limits) *Authorizer {
	a := &Authorizer{statements: &statements{}, limits: limits}
	if source != nil {
		a.statements = &source.statements
	}
	if a.limits.Facts <= 0 {
		a.limits.Facts = DefaultLimits.Facts
	}
	if a.limits.Iterations <= 0 {
		a.limits.Iterations = DefaultLimits.Iterations
	}
	if a.limits.Steps <= 0 {
		a.limits.Steps = DefaultLimits.Steps
	}
	return a
}

// Request is one thing that the holder of a token asks for. Each member that is not empty is a fact
// for the token's checks. It names one resource and one scope on purpose: a check asks whether some
// fact fits, and with several in one request one that is allowed would let the others through.
type Request struct {
	Time           time.Time // time(date); in seconds
	Operation      string    // operation("discover") or operation("transact")
	Resource       string    // resource("URI")
	RequestedScope string    // requested_scope("domain:permission")
	SpendCents     *int64    // spend_cents(n); minor units
	RequestKey     []byte    // request_key(hex:...), the key that signed the request, as NewPublicKey takes it

	// Stop is asked every few thousand steps whether time is up; nil for never. A deadline of 50 ms
	// is generous.
	Stop func() bool
}

// facts are the request's facts.
func (r *Request) facts(add func(name string, value term) error) error {
	var err error
	fact := func(given bool, name string, value term) {
		if given && err == nil {
			err = add(name, value)
		}
	}
	fact(!r.Time.IsZero() && r.Time.Unix() >= 0, "time", term{kind: kindDate, n: r.Time.Unix()})
	fact(r.Operation != "", "operation", stringTerm(r.Operation))
	fact(r.Resource != "", "resource", stringTerm(r.Resource))
	fact(r.RequestedScope != "", "requested_scope", stringTerm(r.RequestedScope))
	if r.SpendCents != nil {
		fact(true, "spend_cents", integer(*r.SpendCents))
	}
	fact(len(r.RequestKey) > 0, "request_key", term{kind: kindBytes, s: string(r.RequestKey)})
	return err
}

// Denied is the error of a token that does not allow a request.
type Denied struct {
	Failed []FailedCheck // the checks that do not hold
	Policy bool          // whether no policy allows it, or one denies it
}

// FailedCheck is a check that does not hold.
type FailedCheck struct {
	Block int // where it stands: 0 for the authority block, -1 for the authorizer
	Check int // which of the block's checks it is, from 0
	// Expired tells that the check speaks of the time alone, as in check if time($t), $t <
	// 2030-01-01T00:00:00Z.
	Expired bool

	check *check
}

// Code is the check as Datalog. It may hold what its author wrote of persons: it is not for logs.
func (f FailedCheck) Code() string { return f.check.String() }

// Expired tells whether the token is denied by checks of the time alone.
func (d *Denied) Expired() bool {
	for _, failed := range d.Failed {
		if !failed.Expired {
			return false
		}
	}
	return len(d.Failed) > 0 && !d.Policy
}

func (d *Denied) Error() string {
	var said []string
	for _, f := range d.Failed {
		where := fmt.Sprintf("check %d of block %d", f.Check, f.Block)
		if f.Block < 0 {
			where = fmt.Sprintf("check %d of the authorizer", f.Check)
		}
		said = append(said, where+" does not hold")
	}
	if d.Policy {
		said = append(said, "no policy allows it")
	}
	return "the delegation token does not allow the request: " + strings.Join(said, ", ")
}

// Authorize evaluates every check of the token for a request. The error is a *Denied when a check
// does not hold or no policy allows the request, ErrLimit when evaluating takes too much, and
// another one, which refuses the token as well, when an expression cannot be evaluated.
func (a *Authorizer) Authorize(v *Verified, r Request) error { return a.authorize(v, r, nil) }

// authorize leaves out the checks that skip names by block and place.
func (a *Authorizer) authorize(v *Verified, r Request, skip map[[2]int]bool) error {
	w, err := a.world(v, &r)
	if err != nil {
		return err
	}
	own := w.trusts(a.statements.trusting, fromAuthority, fromAuthorizer, -1)
	if err := w.derive(w.derivations(a, v, own)); err != nil {
		return evaluating(err)
	}
	denied := &Denied{}
	for i := range a.statements.checks {
		if err := w.check(denied, &a.statements.checks[i], [2]int{-1, i}, own); err != nil {
			return evaluating(err)
		}
	}
	for i := range v.blocks {
		b := &v.blocks[i]
		trusted := w.trusts(b.trusting, fromAuthority, fromBlock(i), i)
		for j := range b.checks {
			if skip[[2]int{i, j}] {
				continue
			}
			if err := w.check(denied, &b.checks[j], [2]int{i, j}, trusted); err != nil {
				return evaluating(err)
			}
		}
	}
	allowed, err := w.decide(a.statements.policies, own)
	if err != nil {
		return evaluating(err)
	}
	if denied.Policy = !allowed; denied.Policy || len(denied.Failed) > 0 {
		return denied
	}
	return nil
}

func evaluating(err error) error {
	if errors.Is(err, ErrLimit) {
		return err
	}
	return fmt.Errorf("the token's checks cannot be evaluated: %w", err)
}

// world has the facts that the token, the authorizer and the request state.
func (a *Authorizer) world(v *Verified, r *Request) (*world, error) {
	w := &world{
		facts:  make(map[relation][]fact, 16),
		limits: a.limits,
		meter:  meter{left: a.limits.Steps, until: a.limits.Steps - stopEvery, stop: r.Stop},
		thirds: make([]PublicKey, len(v.blocks)),
	}
	for i := range v.blocks {
		w.thirds[i] = v.blocks[i].by
		for _, p := range v.blocks[i].facts {
			if err := w.add(p.name, p.terms, fromBlock(i)); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range a.statements.facts {
		if err := w.add(p.name, p.terms, fromAuthorizer); err != nil {
			return nil, err
		}
	}
	return w, r.facts(func(name string, value term) error { return w.add(name, []term{value}, fromAuthorizer) })
}

// derivations are the rules of token and authorizer with what they trust.
func (w *world) derivations(a *Authorizer, v *Verified, own origin) []derivation {
	var list []derivation
	for i := range v.blocks {
		b := &v.blocks[i]
		trusted := w.trusts(b.trusting, fromAuthority, fromBlock(i), i)
		for j := range b.rules {
			r := &b.rules[j]
			list = append(list, derivation{r, w.trusts(r.trusting, trusted, fromBlock(i), i), fromBlock(i)})
		}
	}
	for i := range a.statements.rules {
		r := &a.statements.rules[i]
		list = append(list, derivation{r, w.trusts(r.trusting, own, fromAuthorizer, -1), fromAuthorizer})
	}
	return list
}

// check notes a check that does not hold. Check if and check all hold when one of their queries
// does; reject if when none of them matches.
func (w *world) check(denied *Denied, c *check, at [2]int, trusted origin) error {
	self := fromAuthorizer
	if at[0] >= 0 {
		self = fromBlock(at[0])
	}
	matched := false
	for i := range c.queries {
		r := &c.queries[i]
		test := w.any
		if c.kind == checkAll {
			test = w.all
		}
		var err error
		if matched, err = test(r, w.trusts(r.trusting, trusted, self, at[0])); err != nil {
			return err
		}
		if matched {
			break
		}
	}
	if matched == (c.kind == rejectIf) {
		denied.Failed = append(denied.Failed, FailedCheck{Block: at[0], Check: at[1], Expired: c.ofTime(), check: c})
	}
	return nil
}

// decide is what the first policy that matches says.
func (w *world) decide(policies []policy, own origin) (bool, error) {
	for i := range policies {
		for j := range policies[i].queries {
			r := &policies[i].queries[j]
			matched, err := w.any(r, w.trusts(r.trusting, own, fromAuthorizer, -1))
			if err != nil {
				return false, err
			}
			if matched {
				return !policies[i].deny, nil
			}
		}
	}
	return len(policies) == 0, nil
}

// ofTime tells whether a check asks of nothing but the time.
func (c *check) ofTime() bool {
	for i := range c.queries {
		if body := c.queries[i].body; len(body) != 1 || body[0].name != "time" || len(body[0].terms) != 1 {
			return false
		}
	}
	return c.kind != rejectIf
}
