package biscuit

import (
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"

	"google.golang.org/protobuf/encoding/protowire"
)

// Mint makes a token of one block, the authority block, which root signs. Random gives the 32 bytes
// of the key that whoever holds the token will attenuate it with: crypto/rand.Reader, outside
// tests.
func Mint(root ed25519.PrivateKey, random io.Reader, authority *Source) (*Token, error) {
	if len(root) != ed25519.PrivateKeySize {
		return nil, errors.New("a token is signed with a private key of Ed25519")
	}
	return (&Token{tables: &tables{}}).append(root, random, authority)
}

// Attenuate makes a token with one block more, which can only narrow it. The token itself stays as
// it is. Its holder has no need to know the root key. The error is ErrSealed for a sealed token.
func (t *Token) Attenuate(random io.Reader, more *Source) (*Token, error) {
	key, err := t.attenuationKey()
	if err != nil {
		return nil, err
	}
	return t.append(key, random, more)
}

// Seal makes a token that says the same and cannot be attenuated any more.
func (t *Token) Seal() (*Token, error) {
	key, err := t.attenuationKey()
	if err != nil {
		return nil, err
	}
	sealed := *t
	sealed.secret, sealed.final = nil, ed25519.Sign(key, t.signed[len(t.signed)-1].appendSealPayload(nil))
	return &sealed, nil
}

// attenuationKey is the key at the end of the token. If its maker chose secp256r1 for that key, the
// package reads and verifies the token, and adds no block to it.
func (t *Token) attenuationKey() (ed25519.PrivateKey, error) {
	if t.Sealed() {
		return nil, ErrSealed
	}
	next := t.signed[len(t.signed)-1].next
	if !next.holds(t.secret) {
		return nil, fmt.Errorf("%w: the secret at its end does not belong to the key of its last block", ErrSignature)
	}
	if next.algorithm != Ed25519 {
		return nil, fmt.Errorf("%w: attenuating and sealing a token whose next key is of %v", ErrVersion,
			next.algorithm)
	}
	return ed25519.NewKeyFromSeed(t.secret), nil
}

// append makes the token with one block more.
func (t *Token) append(key ed25519.PrivateKey, random io.Reader, source *Source) (*Token, error) {
	if len(source.statements.policies) > 0 {
		return nil, fmt.Errorf("%w: allow if and deny if belong to an authorizer, not to a token", ErrDatalog)
	}
	seed := make([]byte, ed25519.SeedSize)
	if _, err := io.ReadFull(random, seed); err != nil || weakSeed(seed) {
		return nil, fmt.Errorf("no random bytes for the token's next key: %w", err)
	}
	next, err := NewPublicKey(Ed25519, ed25519.NewKeyFromSeed(seed)[ed25519.SeedSize:])
	if err != nil {
		return nil, err
	}
	data, version := encodeBlock(source, t.tables.clone())
	it := signedBlock{data: data, next: next}
	if version == maxVersion { // Datalog 3.3 is signed in version 1, and what follows a block so signed as well
		it.version = 1
	}
	var previous []byte
	for i := range t.signed {
		it.version = max(it.version, t.signed[i].version)
		previous = t.signed[i].signature
	}
	it.signature = ed25519.Sign(key, it.appendPayload(nil, previous, len(t.signed) == 0))

	made := &Token{rootKeyID: t.rootKeyID, signed: append(append([]signedBlock(nil), t.signed...), it), secret: seed}
	if source.RootKeyID != nil && len(t.signed) == 0 {
		made.rootKeyID = source.RootKeyID
	}
	// What was made is read again, so that nothing leaves this package that it would refuse itself.
	return Parse(made.Bytes())
}

// encodeBlock writes a block, with the symbols and keys that the tables of the token do not have
// yet.
func encodeBlock(source *Source, t *tables) ([]byte, int) {
	e := encoder{tables: t, symbols: len(t.symbols), keys: len(t.keys)}
	s := &source.statements
	var facts, rules, checks, scopes [][]byte
	for _, fact := range s.facts {
		facts = append(facts, appendData(nil, 1, e.predicate(&fact)))
	}
	for i := range s.rules {
		rules = append(rules, e.rule(&s.rules[i]))
	}
	for i := range s.checks {
		checks = append(checks, e.check(&s.checks[i]))
	}
	for _, trusted := range s.trusting {
		scopes = append(scopes, e.scope(trusted))
	}
	version := s.version()
	var to []byte
	for _, symbol := range t.symbols[e.symbols:] {
		to = appendData(to, 1, symbol)
	}
	if source.Context != "" {
		to = appendData(to, 2, source.Context)
	}
	to = appendNumber(to, 3, uint64(version))
	for number, list := range [][][]byte{4: facts, 5: rules, 6: checks, 7: scopes} {
		for _, message := range list {
			to = appendData(to, protowire.Number(number), message)
		}
	}
	for _, key := range t.keys[e.keys:] {
		to = appendData(to, 8, key.message())
	}
	return to, version
}

// encoder writes statements by the numbers of their strings and keys, which it puts into the tables
// where they are not yet.
type encoder struct {
	tables        *tables
	symbols, keys int // how many of the tables the token had before
}

func (e *encoder) symbol(s string) uint64 {
	if n, known := e.tables.number(s); known {
		return n
	}
	if e.tables.seen == nil {
		e.tables.seen = map[string]uint64{}
	}
	n := firstSymbol + uint64(len(e.tables.symbols))
	e.tables.symbols, e.tables.seen[s] = append(e.tables.symbols, s), n
	return n
}

func (e *encoder) predicate(p *predicate) []byte {
	to := appendNumber(nil, 1, e.symbol(p.name))
	for i := range p.terms {
		to = appendData(to, 2, e.term(&p.terms[i]))
	}
	return to
}

func (e *encoder) rule(r *rule) []byte {
	to := appendData(nil, 1, e.predicate(&r.head))
	for i := range r.body {
		to = appendData(to, 2, e.predicate(&r.body[i]))
	}
	for _, expression := range r.expressions {
		to = appendData(to, 3, e.operations(nil, expression, 1))
	}
	for _, trusted := range r.trusting {
		to = appendData(to, 4, e.scope(trusted))
	}
	return to
}

func (e *encoder) check(c *check) []byte {
	var to []byte
	for i := range c.queries {
		to = appendData(to, 1, e.rule(&c.queries[i]))
	}
	if c.kind != checkIf {
		to = appendNumber(to, 2, uint64(c.kind))
	}
	return to
}

func (e *encoder) scope(s scope) []byte {
	if s.kind != scopeKey {
		return appendNumber(nil, 1, uint64(s.kind))
	}
	for i, key := range e.tables.keys {
		if key == s.key {
			return appendNumber(nil, 2, uint64(i))
		}
	}
	e.tables.keys = append(e.tables.keys, s.key)
	return appendNumber(nil, 2, uint64(len(e.tables.keys)-1))
}

func (e *encoder) term(t *term) []byte {
	switch t.kind {
	case kindVariable:
		return appendNumber(nil, 1, e.symbol(t.s))
	case kindInteger:
		return appendNumber(nil, 2, uint64(t.n))
	case kindString:
		return appendNumber(nil, 3, e.symbol(t.s))
	case kindDate:
		return appendNumber(nil, 4, uint64(t.n))
	case kindBytes:
		return appendData(nil, 5, t.s)
	case kindBool:
		return appendNumber(nil, 6, uint64(t.n))
	case kindNull:
		return appendData(nil, 8, "")
	case kindMap:
		var entries []byte
		for i := 0; i < len(t.list); i += 2 {
			key := &t.list[i]
			number, value := protowire.Number(1), uint64(key.n)
			if key.kind == kindString {
				number, value = 2, e.symbol(key.s)
			}
			entry := appendData(nil, 1, appendNumber(nil, number, value))
			entries = appendData(entries, 1, appendData(entry, 2, e.term(&t.list[i+1])))
		}
		return appendData(nil, 10, entries)
	}
	var elements []byte
	for i := range t.list {
		elements = appendData(elements, 1, e.term(&t.list[i]))
	}
	if t.kind == kindArray {
		return appendData(nil, 9, elements)
	}
	return appendData(nil, 7, elements)
}

// operations writes an expression as operations for a stack, each in a field of the given number.
func (e *encoder) operations(to []byte, n *node, number protowire.Number) []byte {
	switch {
	case n.op == opValue:
		return appendData(to, number, appendData(nil, 1, e.term(&n.value)))
	case n.op == opClosure:
		var closure []byte
		for i := range n.parameters {
			closure = appendNumber(closure, 1, e.symbol(n.parameters[i].s))
		}
		return appendData(to, number, appendData(nil, 4, e.operations(closure, n.left, 2)))
	case n.op.unary():
		to = e.operations(to, n.left, number)
		return appendData(to, number, appendData(nil, 2, appendNumber(nil, 1, operations[n.op].wire)))
	}
	to = e.operations(e.operations(to, n.left, number), n.right, number)
	return appendData(to, number, appendData(nil, 3, appendNumber(nil, 1, operations[n.op].wire)))
}
