package biscuit

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
)

// Errors of a delegation that Grants.Authorize returns besides those of Authorizer.Authorize.
var (
	ErrExpired = errors.New("the delegation has expired")
	ErrScope   = errors.New("the delegation does not cover the scope that is asked for")
	ErrHolder  = errors.New("the delegation is bound to another key than the one that signed the request")
)

// Grants is what a token delegates, by the facts of its authority block that RAMP names, narrowed
// by two idioms of the blocks that attenuate it. An ordinary engine would hold the idioms against
// the facts of the authority block, where the first narrows nothing and the second kills the token;
// they are read for what their authors mean, and are not evaluated:
//
//	check if scope("earnings:*")                   the scopes are those that this covers, too
//	check if max_spend_cents($v), $v <= 10000      the cap is this, if it is lower; < likewise
//
// With several queries that are each a scope, the scopes are those that one of them covers.
// Whatever else is in a check is left to the engine, which Authorize asks.
type Grants struct {
	Users []string // principals, user("...")

	// Scopes are the scopes that are delegated: patterns whose segments between colons may be "*",
	// and whose last "*" covers all that remains. Scoped tells whether the token speaks of scopes
	// at all; if it does and there are none, nothing is left.
	Scopes []string
	Scoped bool

	MaxSpendCents *int64        // max_spend_cents(n), in minor units; nil for no cap
	MaxAccesses   *int64        // max_accesses(n); nil for no cap
	Caps          []Cap         // the same by the blocks that set them, in the order of the blocks
	Period        time.Duration // quota_period_hours(n), after which caps begin anew; zero for the token's lifetime
	// Expires is when the token expires; zero for never. A fact expires("RFC 3339") or
	// expires(date) says so, or a check time($t), $t < date of any block. The earliest counts. The
	// engine evaluates these checks as well.
	Expires time.Time
	Holder  []byte // holder(key), in whichever block: the key that may use the token; nil for whoever holds it
	// Revocation is revocation_uri("https://..."): where the principal tells which of its tokens it
	// has revoked; empty for nowhere.
	Revocation string

	verified *Verified       // nil for what a token says that nobody verified
	narrowed map[[2]int]bool // checks that were read and need not be evaluated, by block and place
}

// Cap bounds what is bought under a block of a token: under it, and under everything that was
// attenuated from it.
type Cap struct {
	Block    int    // 0 for the authority block
	Spend    *int64 // minor units; nil for no cap
	Accesses *int64 // nil for no cap
	// Expires is when everything under the block is over, whatever was attenuated from it; zero for
	// never.
	Expires time.Time
}

// Grants reads what a token delegates. A fact of one of the names in a form that is not known is an
// error, which refuses the token: nothing that was meant to limit it is passed over.
func (v *Verified) Grants() (*Grants, error) {
	g, err := v.Token.Says()
	if err == nil {
		g.verified = v
	}
	return g, err
}

// Says reads what a token says that it delegates, whoever made it: to be shown, and never relied
// upon. Nothing is authorized by it.
func (t *Token) Says() (*Grants, error) {
	g := &Grants{narrowed: map[[2]int]bool{}}
	for i := range t.blocks[0].facts {
		if err := g.read(&t.blocks[0].facts[i]); err != nil {
			return nil, err
		}
	}
	g.Scopes = sorted(g.Scopes)
	for j := range t.blocks[0].checks {
		g.readUntil(&t.blocks[0].checks[j])
	}
	if g.MaxSpendCents != nil || g.MaxAccesses != nil {
		g.Caps = append(g.Caps, Cap{Spend: g.MaxSpendCents, Accesses: g.MaxAccesses, Expires: g.Expires})
	}
	for i := 1; i < len(t.blocks); i++ {
		for j := range t.blocks[i].facts {
			if p := &t.blocks[i].facts[j]; p.name == "holder" {
				if err := g.readHolder(p); err != nil {
					return nil, err
				}
			}
		}
		for j := range t.blocks[i].checks {
			c := &t.blocks[i].checks[j]
			if g.narrowScopes(c) || g.narrowSpend(c, i) {
				g.narrowed[[2]int{i, j}] = true
			}
			g.readUntil(c)
		}
		if last := len(g.Caps) - 1; last >= 0 && g.Caps[last].Block == i {
			g.Caps[last].Expires = g.Expires
		}
	}
	return g, nil
}

// read takes one fact of the authority block.
func (g *Grants) read(p *predicate) (err error) {
	switch p.name {
	case "user":
		if err = one(p, kindString); err == nil {
			g.Users = append(g.Users, p.terms[0].s)
		}
	case "scope":
		if err = one(p, kindString); err == nil {
			g.Scopes, g.Scoped = append(g.Scopes, p.terms[0].s), true
		}
	case "max_spend_cents":
		g.MaxSpendCents, err = ceiling(p, g.MaxSpendCents)
	case "max_accesses":
		g.MaxAccesses, err = ceiling(p, g.MaxAccesses)
	case "quota_period_hours":
		err = g.readPeriod(p)
	case "expires":
		err = g.readExpiry(p)
	case "holder":
		err = g.readHolder(p)
	case "revocation_uri":
		if err = one(p, kindString); err == nil && g.Revocation != "" && g.Revocation != p.terms[0].s {
			err = errors.New("the delegation has several facts revocation_uri(...), and one is asked")
		}
		if err == nil {
			g.Revocation = p.terms[0].s
		}
	}
	return err
}

func unreadable(name string) error {
	return fmt.Errorf("the delegation has a fact %s(...) in a form that is not known", name)
}

// one is an error unless a fact has one value, of one of some types.
func one(p *predicate, kinds ...kind) error {
	if len(p.terms) != 1 || !slices.Contains(kinds, p.terms[0].kind) {
		return unreadable(p.name)
	}
	return nil
}

// ceiling is the lower of a fact's number and what was there before.
func ceiling(p *predicate, before *int64) (*int64, error) {
	if err := one(p, kindInteger); err != nil {
		return nil, err
	}
	n := p.terms[0].n
	if n < 0 {
		return nil, unreadable(p.name)
	}
	return lower(before, n), nil
}

func lower(before *int64, n int64) *int64 {
	if before != nil && *before < n {
		return before
	}
	return &n
}

func (g *Grants) readPeriod(p *predicate) error {
	if err := one(p, kindInteger); err != nil {
		return err
	}
	hours := p.terms[0].n
	if hours <= 0 || hours > math.MaxInt64/int64(time.Hour) {
		return unreadable(p.name)
	}
	g.Period = max(g.Period, time.Duration(hours)*time.Hour) // the longer of two is the narrower
	return nil
}

func (g *Grants) readExpiry(p *predicate) error {
	if err := one(p, kindString, kindDate); err != nil {
		return err
	}
	at := time.Unix(p.terms[0].n, 0).UTC()
	if p.terms[0].kind == kindString {
		var err error
		if at, err = time.Parse(time.RFC3339, p.terms[0].s); err != nil {
			return unreadable(p.name)
		}
	}
	if p.terms[0].kind == kindDate && p.terms[0].n < 0 {
		return unreadable(p.name)
	}
	g.until(at)
	return nil
}

func (g *Grants) until(at time.Time) {
	if g.Expires.IsZero() || at.Before(g.Expires) {
		g.Expires = at
	}
}

// readUntil reads check if time($t), $t < date, and <= likewise, for when the token ends at the
// latest.
func (g *Grants) readUntil(c *check) {
	if c.kind != checkIf || len(c.queries) != 1 {
		return
	}
	r := &c.queries[0]
	if len(r.body) != 1 || len(r.expressions) != 1 {
		return
	}
	p, e := &r.body[0], r.expressions[0]
	if p.name != "time" || len(p.terms) != 1 || p.terms[0].kind != kindVariable || e.op != opLess &&
		e.op != opLessOrEqual ||
		e.left.op != opValue || e.left.value.kind != kindVariable || e.right.op != opValue ||
		e.right.value.kind != kindDate {
		return
	}
	at := time.Unix(e.right.value.n, 0).UTC()
	if e.op == opLessOrEqual {
		at = at.Add(time.Second)
	}
	g.until(at)
}

// readHolder takes a key as bytes, or as text in hexadecimal digits or base64.
func (g *Grants) readHolder(p *predicate) error {
	if err := one(p, kindString, kindBytes); err != nil {
		return err
	}
	key := []byte(p.terms[0].s)
	if p.terms[0].kind == kindString {
		text := strings.TrimRight(strings.TrimPrefix(p.terms[0].s, "ed25519/"), "=")
		var err error
		if key, err = hex.DecodeString(text); err != nil {
			encoding := base64.RawURLEncoding
			if strings.ContainsAny(text, "+/") {
				encoding = base64.RawStdEncoding
			}
			if key, err = encoding.DecodeString(text); err != nil {
				return unreadable(p.name)
			}
		}
	}
	if len(key) == 0 {
		return unreadable(p.name)
	}
	if g.Holder != nil && string(g.Holder) != string(key) {
		return errors.New("the delegation is bound to several holders, and nobody is all of them")
	}
	g.Holder = key
	return nil
}

// narrowScopes reads check if scope("..."), and with or between several of them.
func (g *Grants) narrowScopes(c *check) bool {
	var patterns []string
	for i := range c.queries {
		r := &c.queries[i]
		if c.kind != checkIf || len(r.body) != 1 || len(r.expressions) > 0 || len(r.trusting) > 0 {
			return false
		}
		p := &r.body[0]
		if p.name != "scope" || len(p.terms) != 1 || p.terms[0].kind != kindString {
			return false
		}
		patterns = append(patterns, p.terms[0].s)
	}
	g.Scopes, g.Scoped = NarrowScopes(g.Scopes, patterns), true
	return true
}

// narrowSpend reads check if max_spend_cents($v), $v <= n.
func (g *Grants) narrowSpend(c *check, block int) bool {
	if c.kind != checkIf || len(c.queries) != 1 {
		return false
	}
	r := &c.queries[0]
	if len(r.body) != 1 || len(r.expressions) != 1 || len(r.trusting) > 0 {
		return false
	}
	p, e := &r.body[0], r.expressions[0]
	if p.name != "max_spend_cents" || len(p.terms) != 1 || p.terms[0].kind != kindVariable {
		return false
	}
	if e.op != opLessOrEqual && e.op != opLess {
		return false
	}
	if e.left.op != opValue || e.left.value.kind != kindVariable || e.right.op != opValue ||
		e.right.value.kind != kindInteger {
		return false
	}
	n := e.right.value.n
	if e.op == opLess && n > math.MinInt64 {
		n--
	}
	if n < 0 { // no spend fits, not even none
		return false
	}
	g.MaxSpendCents = lower(g.MaxSpendCents, n)
	if last := len(g.Caps) - 1; last < 0 || g.Caps[last].Block != block {
		g.Caps = append(g.Caps, Cap{Block: block})
	}
	mine := &g.Caps[len(g.Caps)-1]
	mine.Spend = lower(mine.Spend, n)
	return true
}

// Authorize holds a request against the token: its expiry, its holder, the scope that is asked for,
// and every check that was not read as narrowing, by the engine. Caps are for whoever counts.
// Errors are ErrExpired, ErrHolder, ErrScope and those of Authorizer.Authorize.
func (g *Grants) Authorize(a *Authorizer, r Request) error {
	if g.verified == nil {
		return ErrSignature
	}
	if !g.Expires.IsZero() && !r.Time.Before(g.Expires) {
		return ErrExpired
	}
	if g.Holder != nil && string(g.Holder) != string(r.RequestKey) {
		return ErrHolder
	}
	if r.RequestedScope != "" && g.Scoped && !g.Covers(r.RequestedScope) {
		return ErrScope
	}
	return a.authorize(g.verified, r, g.narrowed)
}

// Covers tells whether one of the scopes covers a required one.
func (g *Grants) Covers(required string) bool {
	return slices.ContainsFunc(g.Scopes, func(granted string) bool {
		return required != "" && meet(granted, required) == required
	})
}

// NarrowScopes are the scopes that both lists cover, as patterns: of each pair that has something
// in common the narrower.
func NarrowScopes(granted, by []string) []string {
	var both []string
	for _, a := range granted {
		for _, b := range by {
			both = append(both, meet(a, b))
		}
	}
	return sorted(both)
}

// sorted are scopes without empty and repeated ones, in order.
func sorted(scopes []string) []string {
	scopes = slices.DeleteFunc(scopes, func(s string) bool { return s == "" })
	slices.Sort(scopes)
	return slices.Compact(scopes)
}

// meet is the pattern of what two patterns both cover, empty for nothing.
func meet(a, b string) string {
	if a == "" || b == "" {
		return ""
	}
	var common []string
	for {
		x, restA, moreA := strings.Cut(a, ":")
		y, restB, moreB := strings.Cut(b, ":")
		switch {
		case x == "*" && !moreA:
			return strings.Join(append(common, b), ":")
		case y == "*" && !moreB:
			return strings.Join(append(common, a), ":")
		case x != y && x != "*" && y != "*", moreA != moreB:
			return ""
		case x == "*":
			x = y
		}
		common = append(common, x)
		if !moreA {
			return strings.Join(common, ":")
		}
		a, b = restA, restB
	}
}
