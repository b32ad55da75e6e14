// Package biscuit reads, verifies, evaluates and makes Biscuit tokens, offline: what a principal
// signs to let somebody else act for it, and what everybody who holds such a token may narrow
// without asking. RAMP carries them as delegations.
//
// It implements serialisation "Version 2" of the public Biscuit specification with block versions 3
// to 6 (Datalog 3.0 to 3.3), signature payload versions 0 and 1, keys of Ed25519 and secp256r1,
// sealed tokens and third-party blocks. A token goes one way through the package:
//
//	ParseText → Token → Verify(root key) → Verified → Grants, Authorize
//
// and ParseSource, Mint, Attenuate and Seal lead the other way. Nothing but a Verified token is
// evaluated.
//
// The package is pure: no I/O, no clock, no source of randomness; times, keys and random bytes are
// handed in. Everything that is returned can be used by several goroutines at a time.
//
// # Stricter than the specification
//
// What is not understood is refused when a token is parsed, with an error that says which form it
// was: unknown fields, a field that comes twice, other versions, functions of the host (extern::),
// symbols or keys that no table holds, symbols that repeat, variables that nothing binds,
// expressions that leave no single value, keys of small order. Evaluation stops at Limits. Patterns
// of regular expressions that the official libraries read in another way than package regexp are an
// error where they are met, see matches. A reject if with several queries fails when any of them
// matches, as the specification has it. Legacy external signatures, which covered the previous key
// and not the previous signature, are refused, as the official libraries do.
package biscuit

import (
	"errors"
	"fmt"
)

// Caps on the form of a token. A token beyond one of them is refused before anything of it is
// verified or evaluated.
const (
	MaxSize       = 64 << 10 // bytes of a serialised token
	MaxBlocks     = 32       // the authority block and all that attenuate it
	maxStatements = 1000     // facts, rules and checks of one block
	maxSymbols    = 4096     // of all tables of one token together
	maxTerms      = 4096     // values in one statement, nested ones included
	maxArity      = 32       // terms of one predicate
	maxDepth      = 64       // of nested values, closures and expressions
	maxPattern    = 512      // bytes of a regular expression
)

// Limits bound what evaluating one token for one request may take. Reaching one refuses the token.
type Limits struct {
	Facts      int // facts, stated and derived
	Iterations int // rounds in which rules derived something new
	Steps      int // facts tried, operations evaluated and 64 bytes of text compared; some tens of nanoseconds each
}

// DefaultLimits are those of an Authorizer that says nothing else.
var DefaultLimits = Limits{Facts: 1000, Iterations: 100, Steps: 1_000_000}

// Errors of tokens, to be told apart with errors.Is. The messages around them say what exactly was
// met, and quote nothing of a token but names of functions and numbers.
var (
	// ErrFormat: the bytes are no token of a form that this package knows.
	ErrFormat = errors.New("not a Biscuit token of a known form")
	// ErrVersion: a block or a signature of a version that this package does not know.
	ErrVersion = errors.New("a version of Biscuit that is not supported")
	// ErrSignature: a signature or the proof at the end does not verify.
	ErrSignature = errors.New("the signatures of the Biscuit token do not verify")
	// ErrSealed: a sealed token cannot be attenuated or sealed.
	ErrSealed = errors.New("the Biscuit token is sealed: it cannot be changed any more")
	// ErrLimit: evaluating took more than its limits.
	ErrLimit = errors.New("evaluating the Biscuit token takes more than its limits allow")
	// ErrDatalog: a text is no Datalog as this package reads it.
	ErrDatalog = errors.New("not Datalog of a known form")
)

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}
