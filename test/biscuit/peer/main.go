// Command peer is biscuit for programs in other languages: it answers a line of JSON on its
// standard input with one on its standard output. The tests of this folder hold it against the
// official library.
package main

import (
	"bufio"
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log"
	"os"
	"strings"
	"time"

	"frontdesk/biscuit"
)

// ask is one line of input. What a do needs stands beside it.
type ask struct {
	Do         string   `json:"do"` // mint, attenuate, seal, inspect, authorize, grants
	Seed       string   `json:"seed"`
	Code       string   `json:"code"`
	Token      string   `json:"token"`
	Root       string   `json:"root"`
	Authorizer string   `json:"authorizer"`
	Limits     []int    `json:"limits"` // facts, iterations, steps
	Request    *request `json:"request"`
}

type request struct {
	Time      string `json:"time"`
	Operation string `json:"operation"`
	Resource  string `json:"resource"`
	Scope     string `json:"scope"`
	Spend     *int64 `json:"spend"`
	Key       string `json:"key"`
}

// answer is one line of output.
type answer struct {
	Token    string   `json:"token,omitempty"`
	Root     string   `json:"root,omitempty"`
	Blocks   []string `json:"blocks,omitempty"`
	Versions []int    `json:"versions,omitempty"`
	IDs      []string `json:"ids,omitempty"`
	Sealed   bool     `json:"sealed,omitempty"`
	Allowed  bool     `json:"allowed"`
	Failed   [][2]int `json:"failed,omitempty"`
	Policy   bool     `json:"policy,omitempty"` // no policy allows it
	// of the error: format, version, signature, sealed, datalog, limit, denied, expired, scope,
	// holder, other
	Class    string   `json:"class,omitempty"`
	Error    string   `json:"error,omitempty"`
	Scopes   []string `json:"scopes,omitempty"`
	MaxSpend *int64   `json:"maxSpend,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) == 0 && err != nil {
			return
		}
		var a ask
		if err := json.Unmarshal(line, &a); err != nil {
			log.Fatal(err)
		}
		said, err := a.answer()
		if err != nil {
			said.Class, said.Error = class(err), err.Error()
		}
		encoded, err := json.Marshal(said)
		if err != nil {
			log.Fatal(err)
		}
		out.Write(append(encoded, '\n'))
		out.Flush()
	}
}

func (a ask) answer() (said answer, err error) {
	if a.Do == "mint" {
		return a.mint()
	}
	token, err := biscuit.ParseText(a.Token)
	if err != nil {
		return said, err
	}
	switch a.Do {
	case "inspect":
		for _, b := range token.Blocks() {
			said.Blocks, said.Versions = append(said.Blocks, b.Code), append(said.Versions, b.Version)
			said.IDs = append(said.IDs, hex.EncodeToString(b.RevocationID))
		}
		said.Sealed, said.Token = token.Sealed(), token.Text()
		return said, nil
	case "attenuate":
		source, err := biscuit.ParseSource(a.Code)
		if err != nil {
			return said, err
		}
		if token, err = token.Attenuate(rand.Reader, source); err != nil {
			return said, err
		}
		said.Token = token.Text()
		return said, nil
	case "seal":
		if token, err = token.Seal(); err != nil {
			return said, err
		}
		said.Token = token.Text()
		return said, nil
	}
	root, err := biscuit.ParseKey(a.Root)
	if err != nil {
		return said, err
	}
	verified, err := token.Verify(root)
	if err != nil {
		return said, err
	}
	return a.hold(verified)
}

func (a ask) mint() (said answer, err error) {
	seed, err := hex.DecodeString(a.Seed)
	if err != nil {
		return said, err
	}
	source, err := biscuit.ParseSource(a.Code)
	if err != nil {
		return said, err
	}
	key := ed25519.NewKeyFromSeed(seed)
	token, err := biscuit.Mint(key, rand.Reader, source)
	if err != nil {
		return said, err
	}
	said.Token, said.Root = token.Text(), "ed25519/"+hex.EncodeToString(key[32:])
	return said, nil
}

// hold holds a verified token against an authorizer, or a request.
func (a ask) hold(verified *biscuit.Verified) (said answer, err error) {
	source, err := biscuit.ParseSource(a.Authorizer)
	if err != nil {
		return said, err
	}
	var limits biscuit.Limits
	if len(a.Limits) == 3 {
		limits = biscuit.Limits{Facts: a.Limits[0], Iterations: a.Limits[1], Steps: a.Limits[2]}
	}
	authorizer := biscuit.NewAuthorizer(source, limits)
	var r biscuit.Request
	if a.Request != nil {
		if r, err = a.Request.read(); err != nil {
			return said, err
		}
	}
	if a.Do == "grants" {
		var grants *biscuit.Grants
		if grants, err = verified.Grants(); err != nil {
			return said, err
		}
		said.Scopes, said.MaxSpend = grants.Scopes, grants.MaxSpendCents
		err = grants.Authorize(authorizer, r)
	} else {
		err = authorizer.Authorize(verified, r)
	}
	var denied *biscuit.Denied
	if errors.As(err, &denied) {
		for _, f := range denied.Failed {
			said.Failed = append(said.Failed, [2]int{f.Block, f.Check})
		}
		said.Policy = denied.Policy
	}
	said.Allowed = err == nil
	return said, err
}

func (r *request) read() (it biscuit.Request, err error) {
	if r.Time != "" {
		if it.Time, err = time.Parse(time.RFC3339, r.Time); err != nil {
			return it, err
		}
	}
	it.Operation, it.Resource, it.RequestedScope, it.SpendCents = r.Operation, r.Resource, r.Scope, r.Spend
	it.RequestKey, err = hex.DecodeString(r.Key)
	return it, err
}

func class(err error) string {
	classes := []struct {
		name string
		err  error
	}{
		{"version", biscuit.ErrVersion}, {"format", biscuit.ErrFormat}, {"signature", biscuit.ErrSignature},
		{"sealed", biscuit.ErrSealed}, {"datalog", biscuit.ErrDatalog}, {"limit", biscuit.ErrLimit},
		{"expired", biscuit.ErrExpired}, {"scope", biscuit.ErrScope}, {"holder", biscuit.ErrHolder},
	}
	var denied *biscuit.Denied
	if errors.As(err, &denied) {
		return "denied"
	}
	for _, c := range classes {
		if errors.Is(err, c.err) {
			return c.name
		}
	}
	if strings.Contains(err.Error(), "cannot be evaluated") {
		return "expression"
	}
	return "other"
}
