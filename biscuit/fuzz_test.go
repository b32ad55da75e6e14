package biscuit

import (
	"bytes"
	"errors"
	"testing"
	"time"
)

// FuzzParse reads any bytes as a token. What is read is written again as the same, can be shown,
// and is evaluated within limits whatever it says; that it verifies needs its signatures.
func FuzzParse(f *testing.F) {
	for _, o := range officials(f) {
		token, err := ParseText(o.Token)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(token.Bytes())
	}
	for _, b := range brokenTokens() {
		if len(b.token) < 4096 {
			f.Add(b.token)
		}
	}
	root := newForger().rootKey()
	authorizer := NewAuthorizer(nil, Limits{Facts: 200, Iterations: 10, Steps: 20_000})
	f.Fuzz(func(t *testing.T, raw []byte) {
		token, err := Parse(raw)
		if err != nil {
			if !errors.Is(err, ErrFormat) && !errors.Is(err, ErrVersion) {
				t.Fatalf("%v is no error of a token's form", err)
			}
			return
		}
		again, err := Parse(token.Bytes())
		if err != nil || !bytes.Equal(again.Bytes(), token.Bytes()) {
			t.Fatalf("written and read again: %v", err)
		}
		for _, b := range token.Blocks() {
			_ = b.Code
		}
		_, _ = token.Verify(root)
		v := &Verified{Token: token, root: root} // as if somebody had signed it
		_ = authorizer.Authorize(v, Request{Time: time.Unix(1.8e9, 0), Resource: "https://www.example.com/",
			RequestedScope: "a:b"})
		if g, err := v.Grants(); err == nil {
			_ = g.Authorize(authorizer, Request{Time: time.Unix(1.8e9, 0)})
		}
	})
}

// FuzzBlock reads any bytes as what a block says, which reaches deeper than FuzzParse into
// statements.
func FuzzBlock(f *testing.F) {
	for _, o := range officials(f) {
		token, err := ParseText(o.Token)
		if err != nil {
			f.Fatal(err)
		}
		for i := range token.signed {
			f.Add(token.signed[i].data)
		}
	}
	forge := newForger()
	authorizer := NewAuthorizer(nil, Limits{Facts: 200, Iterations: 10, Steps: 20_000})
	f.Fuzz(func(t *testing.T, data []byte) {
		token := &Token{signed: []signedBlock{{data: data, next: forge.rootKey(), version: 1}}, secret: []byte{}}
		if err := token.readBlocks(); err != nil {
			return
		}
		code := token.Blocks()[0].Code
		if source, err := ParseSource(code); err == nil && source.String() != code {
			t.Fatalf("printed:\n%sread and printed again:\n%s", code, source.String())
		}
		_ = authorizer.Authorize(&Verified{Token: token},
			Request{Time: time.Unix(1.8e9, 0), Resource: "https://www.example.com/"})
	})
}

// FuzzSource reads any text as Datalog. What is read prints as what reads the same, and makes a
// block that says the same.
func FuzzSource(f *testing.F) {
	for _, o := range officials(f) {
		token, err := ParseText(o.Token)
		if err != nil {
			f.Fatal(err)
		}
		for _, b := range token.Blocks() {
			f.Add(b.Code)
		}
		for _, held := range o.Held {
			f.Add(held.Code)
		}
	}
	f.Add(`trusting authority, previous; a("\u{1b}\\\"\n") /* x */; b($x) <- a($x), !($x.length() + 1 * 2 - 3 >= 4 | 5 ^ 6 & 7); // end`)
	authorizer := NewAuthorizer(nil, Limits{Facts: 200, Iterations: 10, Steps: 20_000})
	f.Fuzz(func(t *testing.T, code string) {
		source, err := ParseSource(code)
		if err != nil {
			if !errors.Is(err, ErrDatalog) {
				t.Fatalf("%v is no error of Datalog", err)
			}
			return
		}
		printed := source.String()
		again, err := ParseSource(printed)
		if err != nil || again.String() != printed {
			t.Fatalf("printed:\n%sread again: %v\n%s", printed, err, again)
		}
		source.statements.policies = nil
		token, err := Mint(seeded(7), bytes.NewReader(bytes.Repeat([]byte{5}, 32)), source)
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatal(err)
			}
			return
		}
		if got := token.Blocks()[0].Code; got != source.String() {
			t.Fatalf("minted:\n%sreads:\n%s", source, got)
		}
		v, err := token.Verify(public(seeded(7)))
		if err != nil {
			t.Fatal(err)
		}
		_ = authorizer.Authorize(v, Request{Time: time.Unix(1.8e9, 0)})
	})
}
