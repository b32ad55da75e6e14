package biscuit

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

var update = flag.Bool("update", false, "write testdata/broken.json anew")

// forger makes tokens piece by piece, each correctly signed but for what a test breaks. Its keys
// are always the same.
type forger struct {
	root, next, after ed25519.PrivateKey
}

func seeded(b byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{b}, ed25519.SeedSize))
}

func newForger() forger { return forger{seeded(1), seeded(2), seeded(3)} }

func public(k ed25519.PrivateKey) PublicKey {
	key, err := NewPublicKey(Ed25519, k[ed25519.SeedSize:])
	if err != nil {
		panic(err)
	}
	return key
}

func (f forger) rootKey() PublicKey { return public(f.root) }

// signed is a block of some data under a key, signed for the key that comes after.
func (f forger) signed(key, next ed25519.PrivateKey, data []byte, version uint64, previous []byte) signedBlock {
	b := signedBlock{data: data, next: public(next), version: version}
	b.signature = ed25519.Sign(key, b.appendPayload(nil, previous, previous == nil))
	return b
}

// token is a token of one block of some data.
func (f forger) token(data []byte) *Token {
	return &Token{signed: []signedBlock{f.signed(f.root, f.next, data, 1, nil)}, secret: f.next.Seed()}
}

// two is a token of two blocks.
func (f forger) two(authority, more []byte) *Token {
	t := f.token(authority)
	t.signed = append(t.signed, f.signed(f.next, f.after, more, 1, t.signed[0].signature))
	t.secret = f.after.Seed()
	return t
}

// third is a token whose second block is signed by a third party.
func (f forger) third(authority, more []byte) *Token {
	t := f.token(authority)
	previous := t.signed[0].signature
	b := signedBlock{data: more, next: public(f.after), version: 1}
	by := seeded(9)
	b.external = &external{key: public(by), signature: ed25519.Sign(by, appendExternalPayload(nil, more, previous))}
	b.signature = ed25519.Sign(f.next, b.appendPayload(nil, previous, false))
	t.signed, t.secret = append(t.signed, b), f.after.Seed()
	return t
}

// Messages for blocks, written by hand.
func message(fields ...[]byte) []byte { return bytes.Join(fields, nil) }

func num(number protowire.Number, value uint64) []byte { return appendNumber(nil, number, value) }

func sub(number protowire.Number, fields ...[]byte) []byte {
	return appendData(nil, number, message(fields...))
}

func str(number protowire.Number, s string) []byte { return appendData(nil, number, s) }

func version(n uint64) []byte { return num(3, n) }

// checkOf is a check of one query with one expression of operations.
func checkOf(operations ...[]byte) []byte {
	return sub(6, sub(1, sub(1, num(1, 27)), sub(3, operations...)))
}

func value(content ...[]byte) []byte { return sub(1, sub(1, content...)) }

func unaryOp(kind uint64) []byte { return sub(1, sub(2, num(1, kind))) }

func binaryOp(kind uint64) []byte { return sub(1, sub(3, num(1, kind))) }

// factOf is a fact resource(...) of a value.
func factOf(content ...[]byte) []byte { return sub(4, sub(1, num(1, 2), sub(2, content...))) }

// block is the bytes of a block of Datalog.
func blockOf(code string) []byte {
	source, err := ParseSource(code)
	if err != nil {
		panic(err)
	}
	data, _ := encodeBlock(source, &tables{})
	return data
}

// broken is a token that is wrong in one way.
type broken struct {
	name     string
	token    []byte
	err      error
	says     string
	accepted bool // by the official library, as this package is stricter
}

func brokenTokens() []broken {
	f := newForger()
	good := f.two(blockOf(`right("write", "read")`), blockOf(`check if resource("write")`))
	list := []broken{
		{name: "nothing", token: []byte{}, err: ErrFormat, says: "lacks field 2"},
		{name: "text", token: []byte("no token"), err: ErrFormat},
		{name: "cut short", token: good.Bytes()[:100], err: ErrFormat, says: "cut short"},
		{name: "too large", token: make([]byte, MaxSize+1), err: ErrFormat, says: "larger than"},
	}
	add := func(name string, t *Token, err error, says string) {
		list = append(list, broken{name: name, token: t.Bytes(), err: err, says: says})
	}
	stricter := func(name string, t *Token, err error, says string) {
		list = append(list, broken{name: name, token: t.Bytes(), err: err, says: says, accepted: true})
	}
	brokenChain(f, add, good)
	brokenEnvelope(f, &list, good)
	brokenBlocks(f, add, stricter)
	brokenValues(f, add, stricter)
	return list
}

type adds func(name string, t *Token, err error, says string)

// change is a copy of a token, changed.
func change(t *Token, how func(*Token)) *Token {
	it := *t
	it.signed = append([]signedBlock(nil), t.signed...)
	how(&it)
	return &it
}

func brokenChain(f forger, add adds, good *Token) {
	foreign := forger{seeded(1), seeded(5), seeded(6)}.two(blockOf(`right("path", "read")`), blockOf(`check if resource("path")`))
	add("another root",
		change(good, func(t *Token) { t.signed[0] = f.signed(f.after, f.next, t.signed[0].data, 1, nil) }),
		ErrSignature, "block 0")
	add("authority changed", change(good, func(t *Token) { t.signed[0].data = blockOf(`right("path", "read")`) }), ErrSignature, "block 0")
	add("check changed", change(good, func(t *Token) { t.signed[1].data = blockOf(`check if resource("path")`) }), ErrSignature, "block 1")
	add("next key changed", change(good, func(t *Token) { t.signed[0].next = public(f.after) }), ErrSignature,
		"block 0")
	add("block left out", change(good, func(t *Token) { t.signed = t.signed[:1] }), ErrSignature, "secret")
	add("block of another token", change(good, func(t *Token) { t.signed[1] = foreign.signed[1] }), ErrSignature,
		"block 1")
	add("blocks in another order", change(good, func(t *Token) { t.signed[0], t.signed[1] = t.signed[1], t.signed[0] }),
		ErrSignature, "block 0")
	add("block twice", change(good, func(t *Token) {
		t.signed = append(t.signed, signedBlock{data: blockOf(`check if true`), next: t.signed[1].next,
			signature: t.signed[1].signature, version: 1})
	}), ErrSignature, "block 2")
	add("secret of another token", change(good, func(t *Token) { t.secret = foreign.signed[1].next.Bytes() }),
		ErrSignature, "secret")
	add("secret cut short", change(good, func(t *Token) { t.secret = t.secret[:31] }), ErrSignature, "secret")
	add("signature cut short", change(good, func(t *Token) { t.signed[0].signature = t.signed[0].signature[:63] }),
		ErrSignature, "block 0")
	add("signature empty", change(good, func(t *Token) { t.signed[1].signature = []byte{} }), ErrSignature, "block 1")
	add("signed in version 0, said to be 1", change(good, func(t *Token) {
		t.signed[1] = f.signed(f.next, f.after, t.signed[1].data, 0, t.signed[0].signature)
		t.signed[1].version = 1
	}), ErrSignature, "block 1")
	add("tied to no signature before", change(good, func(t *Token) {
		t.signed[1].signature = ed25519.Sign(f.next, t.signed[1].appendPayload(nil, nil, true))
	}), ErrSignature, "block 1")
	add("sealed by nobody", change(good, func(t *Token) { t.secret, t.final = nil, make([]byte, 64) }), ErrSignature,
		"final")
	add("sealed by the wrong key", change(good, func(t *Token) {
		t.secret, t.final = nil, ed25519.Sign(f.next, t.signed[1].appendSealPayload(nil))
	}), ErrSignature, "final")
	add("sealed before a block was added", change(good, func(t *Token) {
		t.secret, t.final = nil, ed25519.Sign(f.after, t.signed[0].appendSealPayload(nil))
	}), ErrSignature, "final")

	third := f.third(blockOf(`right("write", "read")`), message(version(5)))
	add("third party's signature wrong", change(third, func(t *Token) {
		b := t.signed[1]
		b.external = &external{key: b.external.key, signature: make([]byte, 64)}
		b.signature = ed25519.Sign(f.next, b.appendPayload(nil, t.signed[0].signature, false))
		t.signed[1] = b
	}), ErrSignature, "third party under block 1")
	add("third party's key exchanged", change(third, func(t *Token) {
		t.signed[1].external = &external{key: public(f.after), signature: t.signed[1].external.signature}
	}), ErrSignature, "third party under block 1")
	add("third party's signature left out", change(third, func(t *Token) { t.signed[1].external = nil }), ErrSignature,
		"block 1")
	add("third party's block of another token", change(third, func(t *Token) {
		b := t.signed[1]
		by := seeded(9)
		b.external = &external{key: public(by),
			signature: ed25519.Sign(by, appendExternalPayload(nil, b.data, good.signed[1].signature))}
		b.signature = ed25519.Sign(f.next, b.appendPayload(nil, t.signed[0].signature, false))
		t.signed[1] = b
	}), ErrSignature, "third party under block 1")
	add("third party in the legacy form", change(third, func(t *Token) {
		b := t.signed[1]
		by := seeded(9)
		b.version = 0
		b.external = &external{key: public(by),
			signature: ed25519.Sign(by, public(f.next).appendSigned(append([]byte(nil), b.data...)))}
		b.signature = ed25519.Sign(f.next,
			b.next.appendSigned(append(append([]byte(nil), b.data...), b.external.signature...)))
		t.signed[1] = b
	}), ErrVersion, "third party with a signature of version 0")
	add("third party signs the authority block",
		change(third, func(t *Token) { t.signed[0].external = t.signed[1].external }), ErrFormat, "authority block")
}

// brokenEnvelope breaks the message around the blocks.
func brokenEnvelope(f forger, list *[]broken, good *Token) {
	raw := good.Bytes()
	add := func(name string, token []byte, err error, says string) {
		*list = append(*list, broken{name: name, token: token, err: err, says: says})
	}
	stricter := func(name string, token []byte, err error, says string) {
		*list = append(*list, broken{name: name, token: token, err: err, says: says, accepted: true})
	}
	authority := func(fields ...[]byte) []byte {
		return message(sub(2, fields...), sub(4, appendData(nil, 1, f.next.Seed())))
	}
	b := f.signed(f.root, f.next, blockOf(`right("write", "read")`), 1, nil)
	data, next, signature := appendData(nil, 1, b.data), appendData(nil, 2, b.next.message()),
		appendData(nil, 3, b.signature)
	add("no proof", message(sub(2, data, next, signature, num(5, 1))), ErrFormat, "lacks field 4")
	add("empty proof", message(sub(2, data, next, signature, num(5, 1)), sub(4)), ErrFormat,
		"no secret and no final signature")
	stricter("secret and final signature", message(sub(2, data, next, signature, num(5, 1)),
		sub(4, appendData(nil, 2, make([]byte, 64)), appendData(nil, 1, f.next.Seed()))), ErrFormat, "or both")
	add("no signature", authority(data, next, num(5, 1)), ErrFormat, "lacks field 3")
	add("no next key", authority(data, signature, num(5, 1)), ErrFormat, "lacks field 2")
	add("no block", authority(next, signature, num(5, 1)), ErrFormat, "lacks field 1")
	add("signature version 2", authority(data, next, signature, num(5, 2)), ErrVersion, "version 2")
	add("key algorithm 2", authority(data, sub(2, num(1, 2), str(2, b.next.bytes)), signature, num(5, 1)), ErrVersion,
		"algorithm 2")
	add("key too short", authority(data, sub(2, num(1, 0), str(2, b.next.bytes[:31])), signature, num(5, 1)), ErrFormat,
		"32 bytes")
	add("key that is no point", authority(data, sub(2, num(1, 1), str(2, "\x02"+strings.Repeat("\xff", 32))), signature,
		num(5, 1)), ErrFormat, "no compressed point")
	stricter("unknown field in the token", append(append([]byte(nil), raw...), num(9, 1)...), ErrFormat, "field 9")
	stricter("proof twice", append(append([]byte(nil), raw...), sub(4, appendData(nil, 1, f.after.Seed()))...),
		ErrFormat, "field 4 twice")
	stricter("unknown field in a signed block", authority(data, next, signature, num(5, 1), num(6, 1)), ErrFormat,
		"field 6")
	add("fixed number",
		append(append([]byte(nil), raw...), protowire.AppendFixed64(protowire.AppendTag(nil, 9, protowire.Fixed64Type),
			1)...), ErrFormat, "wire type")
	(*list)[len(*list)-1].accepted = true

	small, _ := hex.DecodeString("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a")
	weak := signedBlock{data: b.data, next: PublicKey{bytes: string(small)}, version: 1}
	weak.signature = ed25519.Sign(f.root, weak.appendPayload(nil, nil, true))
	add("next key of small order", (&Token{signed: []signedBlock{weak}, final: make([]byte, 64)}).Bytes(), ErrFormat,
		"small order")

	many := f.token(message(version(3)))
	key := f.next
	for len(many.signed) <= MaxBlocks {
		last := many.signed[len(many.signed)-1]
		many.signed = append(many.signed, f.signed(key, f.next, message(version(3)), 1, last.signature))
	}
	stricter("too many blocks", many.Bytes(), ErrFormat, "more than 32 blocks")
}

// brokenBlocks breaks what blocks say, under signatures that are right.
func brokenBlocks(f forger, add, stricter adds) {
	one := func(name string, err error, says string, fields ...[]byte) {
		add(name, f.token(message(fields...)), err, says)
	}
	yes := value(num(6, 1))
	one("no version", ErrVersion, "version 0", factOf(num(2, 1)))
	one("version 2", ErrVersion, "version 2", version(2), factOf(num(2, 1)))
	one("version 7", ErrVersion, "version 7", version(7), factOf(num(2, 1)))
	one("check all in version 3", ErrVersion, "says its kind", version(3),
		sub(6, sub(1, sub(1, num(1, 27)), sub(3, yes)), num(2, 1)))
	one("reject if in version 5", ErrVersion, "version 6", version(5),
		sub(6, sub(1, sub(1, num(1, 27)), sub(3, yes)), num(2, 2)))
	one("check of kind 3", ErrFormat, "kind 3", version(6), sub(6, sub(1, sub(1, num(1, 27)), sub(3, yes)), num(2, 3)))
	one("scope of a rule in version 3", ErrVersion, "version 4", version(3),
		sub(6, sub(1, sub(1, num(1, 27)), sub(3, yes), sub(4, num(1, 0)))))
	one("scope of a block in version 3", ErrVersion, "version 4", version(3), sub(7, num(1, 0)))
	one("!== in version 3", ErrVersion, "version 4", version(3),
		checkOf(value(num(2, 1)), value(num(2, 1)), binaryOp(20)))
	one("!= in version 5", ErrVersion, "version 6", version(5),
		checkOf(value(num(2, 1)), value(num(2, 1)), binaryOp(22)))
	one("&& with a closure in version 5", ErrVersion, "version 6", version(5),
		checkOf(yes, sub(1, sub(4, sub(2, sub(1, num(6, 1))))), binaryOp(23)))
	one("type() in version 5", ErrVersion, "version 6", version(5),
		checkOf(value(num(2, 1)), unaryOp(3), value(num(2, 1)), binaryOp(4)))
	one("null in version 5", ErrVersion, "version 6", version(5), factOf(sub(8)))
	add("third party in version 4", f.third(blockOf(`right("write", "read")`), message(version(4))), ErrVersion, "third party of version 4")
	one("scope of type 2", ErrFormat, "type 2", version(4), sub(7, num(1, 2)))
	stricter("unknown field in a block", f.token(message(version(3), num(9, 1))), ErrFormat, "field 9 of a block")
	stricter("unknown field in a rule",
		f.token(message(version(3), sub(6, sub(1, sub(1, num(1, 27)), sub(3, yes), sub(7, num(1, 1)))))), ErrFormat,
		"a rule has field 7")
	stricter("unknown field in a fact",
		f.token(message(version(3), sub(4, sub(1, num(1, 2), sub(2, num(2, 1))), num(2, 1)))), ErrFormat,
		"a fact has field 2")
	one("symbol that is not there", ErrFormat, "symbol 1024", version(3), factOf(num(3, 1024)))
	one("symbol between the tables", ErrFormat, "symbol 28", version(3), factOf(num(3, 28)))
	stricter("symbol twice", f.token(message(version(3), str(1, "x"), str(1, "x"))), ErrFormat, "written twice")
	one("default symbol written", ErrFormat, "written twice", version(3), str(1, "read"))
	add("symbol of the block before", f.two(message(version(3), str(1, "x")), message(version(3), str(1, "x"))),
		ErrFormat, "written twice")
	one("symbol that is no UTF-8", ErrFormat, "no UTF-8", version(3), str(1, "\xff"))
	add("third party's symbol in a later block", func() *Token {
		t := f.third(message(version(3)), message(version(5), str(1, "x")))
		last := t.signed[1]
		t.signed = append(t.signed, f.signed(f.after, f.next, message(version(3), factOf(num(3, 1024))), 1,
			last.signature))
		t.secret = f.next.Seed()
		return t
	}(), ErrFormat, "symbol 1024")
	one("key that is not there", ErrFormat, "public key 0", version(4), sub(7, num(2, 0)))
	one("key twice", ErrFormat, "key is written twice", version(4), appendData(nil, 8, f.rootKey().message()),
		appendData(nil, 8, f.rootKey().message()))
	stricter("fact with a variable", f.token(message(version(3), str(1, "x"), factOf(num(1, 1024)))), ErrFormat,
		"fact has a variable")
	one("rule whose head nothing binds", ErrFormat, "does not bind", version(3), str(1, "x"),
		sub(5, sub(1, num(1, 2), sub(2, num(1, 1024))), sub(3, yes)))
	stricter("check without a query", f.token(message(version(4), sub(6, num(2, 1)))), ErrFormat, "no query")
	one("check whose variable nothing binds", ErrFormat, "nothing binds", version(3), str(1, "x"), checkOf(yes),
		checkOf(value(num(1, 1024)), value(num(2, 1)), binaryOp(0)))
}

// brokenValues breaks values and expressions.
func brokenValues(f forger, add, stricter adds) {
	yes := value(num(6, 1))
	one := func(name, says string, fields ...[]byte) {
		add(name, f.token(message(append([][]byte{version(6), str(1, "x")}, fields...)...)), ErrFormat, says)
	}
	only := func(name, says string, fields ...[]byte) {
		stricter(name, f.token(message(append([][]byte{version(6), str(1, "x")}, fields...)...)), ErrFormat, says)
	}
	one("empty value", "value is empty", factOf())
	only("value of two kinds", "says two things", factOf(num(2, 1), num(6, 1)))
	one("value of kind 11", "field 11", factOf(num(2, 1)), factOf(num(11, 1)))
	one("set of several types", "several types", factOf(sub(7, sub(1, num(2, 1)), sub(1, num(3, 0)))))
	one("set in a set", "sets or values", factOf(sub(7, sub(1, sub(7)))))
	one("variable in a set", "a set has a variable", factOf(sub(7, sub(1, num(1, 1024)))))
	only("variable in an array", "array has a variable", factOf(sub(9, sub(1, num(1, 1024)))))
	one("map without a value", "lacks field 2", factOf(sub(10, sub(1, sub(1, num(1, 1))))))
	one("map with an empty key", "0 things", factOf(sub(10, sub(1, sub(1), sub(2, num(2, 1))))))
	deep := num(2, 1)
	for range maxDepth + 2 {
		deep = sub(9, sub(1, deep))
	}
	one("values nested too deep", "nested more than", factOf(deep))
	one("empty operation", "operation is empty", checkOf(sub(1)))
	one("unary operation 9", "kind 9", checkOf(yes, unaryOp(9)))
	one("binary operation 99", "kind 99", checkOf(yes, yes, binaryOp(99)))
	one("function of a host", "extern::x", checkOf(yes), checkOf(yes, sub(1, sub(2, num(1, 4), num(2, 1024)))))
	one("binary function of a host", "extern::x", checkOf(yes),
		checkOf(yes, yes, sub(1, sub(3, num(1, 28), num(2, 1024)))))
	one("function without a name", "without a name", checkOf(yes, sub(1, sub(2, num(1, 4)))))
	one("function whose name is not there", "symbol 99", checkOf(yes, sub(1, sub(2, num(1, 4), num(2, 99)))))
	one("operation with a name", "has a name", checkOf(yes, sub(1, sub(2, num(1, 0), num(2, 1024)))))
	one("operation without arguments", "lacks its argument", checkOf(yes), checkOf(unaryOp(0)))
	one("operation with one of two arguments", "lacks its arguments", checkOf(yes), checkOf(yes, binaryOp(13)))
	one("expression of two values", "leaves 2 values", checkOf(yes), checkOf(yes, yes))
	one("expression of nothing", "leaves 0 values", checkOf(yes), checkOf())
	closure := sub(1, sub(4, num(1, 1024), sub(2, sub(1, num(6, 1)))))
	one("closure as a result", "leaves 1 values", checkOf(yes), checkOf(closure))
	one("closure where none belongs", "closure where none belongs", checkOf(yes), checkOf(yes, closure, binaryOp(13)))
	one("&& without a closure", "closure where none belongs", checkOf(yes), checkOf(yes, yes, binaryOp(23)))
	one("&& whose closure has a parameter", "has 1 parameters", checkOf(yes), checkOf(yes, closure, binaryOp(23)))
	set := value(sub(7, sub(1, num(2, 1))))
	hidden := sub(1, sub(4, num(1, 1024), sub(2, sub(1, sub(7, sub(1, num(2, 1))))),
		sub(2, sub(4, num(1, 1024), sub(2, sub(1, num(6, 1))))), sub(2, sub(3, num(1, 26)))))
	one("parameter that hides another", "hides another variable", checkOf(yes), checkOf(set, hidden, binaryOp(26)))
}

// signer is a key of either algorithm that signs the same thing always in the same way.
type signer struct {
	ed    ed25519.PrivateKey
	ecdsa *ecdsa.PrivateKey
}

func p256(b byte) signer {
	key, err := ecdsa.ParseRawPrivateKey(elliptic.P256(), bytes.Repeat([]byte{b}, 32))
	if err != nil {
		panic(err)
	}
	return signer{ecdsa: key}
}

func (s signer) public() PublicKey {
	if s.ed != nil {
		return public(s.ed)
	}
	point, err := s.ecdsa.PublicKey.Bytes()
	if err != nil {
		panic(err)
	}
	key, err := NewPublicKey(Secp256r1, append([]byte{2 + point[64]&1}, point[1:33]...))
	if err != nil {
		panic(err)
	}
	return key
}

func (s signer) secret() []byte {
	if s.ed != nil {
		return s.ed.Seed()
	}
	secret, err := s.ecdsa.Bytes()
	if err != nil {
		panic(err)
	}
	return secret
}

func (s signer) sign(message []byte) []byte {
	if s.ed != nil {
		return ed25519.Sign(s.ed, message)
	}
	digest := sha256.Sum256(message)
	signature, err := s.ecdsa.Sign(nil, digest[:], crypto.SHA256) // deterministic without randomness (RFC 6979)
	if err != nil {
		panic(err)
	}
	return signature
}

// chained is a token whose blocks are signed by keys of any algorithm: one more key than blocks.
// The official library writes next keys of Ed25519 alone, and reads both.
func chained(keys []signer, sealed bool, blocks ...[]byte) *Token {
	t := &Token{}
	var previous []byte
	for i, data := range blocks {
		b := signedBlock{data: data, next: keys[i+1].public(), version: 1}
		b.signature = keys[i].sign(b.appendPayload(nil, previous, i == 0))
		previous = b.signature
		t.signed = append(t.signed, b)
	}
	last := keys[len(blocks)]
	if sealed {
		t.final = last.sign(t.signed[len(blocks)-1].appendSealPayload(nil))
	} else {
		t.secret = last.secret()
	}
	return t
}

// soundTokens are forged like the broken ones, and nothing is wrong with them.
func soundTokens() map[string]*Token {
	f := newForger()
	ed := signer{ed: f.root}
	authority, more := blockOf(`right("write", "read")`), blockOf(`check if right("write", "read")`)
	sound := map[string]*Token{
		"one block":                           f.token(authority),
		"two blocks":                          f.two(authority, more),
		"a third party":                       f.third(authority, message(version(5), str(1, "x"))),
		"next keys of secp256r1":              chained([]signer{ed, p256(1), p256(2)}, false, authority, more),
		"next keys of secp256r1, sealed":      chained([]signer{ed, p256(1), p256(2)}, true, authority, more),
		"next keys of both kinds":             chained([]signer{ed, p256(3), {ed: f.next}}, false, authority, more),
		"no statements":                       f.token(message(version(3))),
		"a block that trusts the ones before": f.two(message(version(3)), message(version(4), sub(7, num(1, 1)))),
		"a version no lower than it needs":    f.token(message(version(6), factOf(num(2, 1)))),
		"signed in version 0": {signed: []signedBlock{f.signed(f.root, f.next, authority, 0, nil)},
			secret: f.next.Seed()},
		"parameters that are packed": f.token(message(version(6), str(1, "x"),
			checkOf(value(sub(7, sub(1, num(2, 1)))),
				sub(1, sub(4, appendData(nil, 1, []byte{0x80, 0x08}), sub(2, sub(1, num(6, 1))))), binaryOp(26)))),
	}
	return sound
}

// golden is a broken token as the tests with the official library read it.
type golden struct {
	Name     string `json:"name"`
	Token    string `json:"token"`
	Accepted bool   `json:"accepted,omitempty"`
}

// TestBrokenTokensAreRefused holds that each class of broken token is refused, and for the reason
// that it is broken for. test/biscuit holds the official library against the same tokens, by
// testdata/broken.json.
func TestBrokenTokensAreRefused(t *testing.T) {
	t.Parallel()
	root := newForger().rootKey()
	var written []golden
	seen := map[string]bool{}
	for _, b := range brokenTokens() {
		if seen[b.name] {
			t.Fatalf("two tokens are called %s", b.name)
		}
		seen[b.name] = true
		t.Run(b.name, func(t *testing.T) {
			token, err := Parse(b.token)
			if err == nil {
				_, err = token.Verify(root)
			}
			if !errors.Is(err, b.err) || !strings.Contains(err.Error(), b.says) {
				t.Errorf("%v; want %v with %q", err, b.err, b.says)
			}
		})
		if len(b.token) <= MaxSize {
			written = append(written, golden{b.name, base64.StdEncoding.EncodeToString(b.token), b.accepted})
		}
	}
	sound := map[string]string{}
	for name, token := range soundTokens() {
		sound[name] = base64.StdEncoding.EncodeToString(token.Bytes())
	}
	text, err := json.MarshalIndent(map[string]any{"root": root.String(), "tokens": written, "sound": sound}, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("testdata/broken.json", append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile("testdata/broken.json"); err != nil || !bytes.Equal(bytes.TrimSpace(kept), text) {
		t.Errorf("testdata/broken.json is not current (%v): go test ./biscuit -run Broken -update", err)
	}
}

// TestSoundTokensAreTaken holds that what the broken tokens are made of is itself in order.
func TestSoundTokensAreTaken(t *testing.T) {
	t.Parallel()
	for name, token := range soundTokens() {
		parsed, err := Parse(token.Bytes())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		v, err := parsed.Verify(newForger().rootKey())
		if err == nil {
			err = NewAuthorizer(nil, Limits{}).Authorize(v, Request{})
		}
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTokensOfOthersKeysAreNotWrittenOn holds that a token whose next key is of secp256r1 is read,
// and left as it is.
func TestTokensOfOthersKeysAreNotWrittenOn(t *testing.T) {
	t.Parallel()
	token := soundTokens()["next keys of secp256r1"]
	if _, err := token.Attenuate(rand.Reader, source(t, `check if true`)); !errors.Is(err, ErrVersion) {
		t.Errorf("attenuated: %v", err)
	}
	if _, err := token.Seal(); !errors.Is(err, ErrVersion) {
		t.Errorf("sealed: %v", err)
	}
}

// TestEveryBitCounts holds that a token with any one bit changed is refused.
func TestEveryBitCounts(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("some thousand signatures")
	}
	f := newForger()
	for _, token := range []*Token{
		f.two(blockOf(`right("write", "read")`), blockOf(`check if resource("write")`)),
		f.third(blockOf(`right("write", "read")`), message(version(5), str(1, "x"))),
	} {
		raw := token.Bytes()
		for i := range raw {
			for bit := range 8 {
				changed := bytes.Clone(raw)
				changed[i] ^= 1 << bit
				parsed, err := Parse(changed)
				if err == nil {
					_, err = parsed.Verify(f.rootKey())
				}
				if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) && !errors.Is(err, ErrSignature) {
					t.Fatalf("byte %d bit %d: %v", i, bit, err)
				}
			}
		}
	}
}
