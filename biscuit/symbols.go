package biscuit

import (
	"maps"
	"slices"
)

// defaultSymbols are the strings that every token knows without writing them, by their numbers.
var defaultSymbols = [...]string{
	"read", "write", "resource", "operation", "right", "time", "role", "owner", "tenant", "namespace", "user", "team",
	"service", "admin",
	"email", "group", "member", "ip_address", "client", "client_ip", "domain", "path", "version", "cluster", "node",
	"hostname", "nonce", "query",
}

var defaultNumbers = func() map[string]uint64 {
	numbers := make(map[string]uint64, len(defaultSymbols))
	for i, s := range defaultSymbols {
		numbers[s] = uint64(i)
	}
	return numbers
}()

// firstSymbol is the number of the first string that a token writes itself.
const firstSymbol = 1024

// tables are the strings and keys by whose numbers the blocks of a token speak of them: one pair of
// tables for the authority block and all that are not of third parties, and one for each block of a
// third party.
type tables struct {
	symbols []string
	keys    []PublicKey
	seen    map[string]uint64 // numbers of symbols
}

// extend appends the symbols of a block. One that repeats is refused: it would have two numbers.
func (t *tables) extend(symbols []string) error {
	if len(symbols) > 0 && t.seen == nil {
		t.seen = make(map[string]uint64, len(symbols))
	}
	for _, s := range symbols {
		if _, known := t.number(s); known {
			return malformed("a symbol is written twice, or is one of those that need not be written")
		}
		if len(t.symbols) >= maxSymbols {
			return malformed("it has more than %d symbols", maxSymbols)
		}
		t.seen[s] = firstSymbol + uint64(len(t.symbols))
		t.symbols = append(t.symbols, s)
	}
	return nil
}

func (t *tables) number(s string) (uint64, bool) {
	if n, ok := defaultNumbers[s]; ok {
		return n, true
	}
	n, ok := t.seen[s]
	return n, ok
}

// extendKeys appends the keys of a block.
func (t *tables) extendKeys(keys []PublicKey) error {
	for _, key := range keys {
		if slices.Contains(t.keys, key) {
			return malformed("a public key is written twice")
		}
		t.keys = append(t.keys, key)
	}
	return nil
}

// symbol is the string with a number.
func (t *tables) symbol(n uint64) (string, error) {
	switch {
	case n < uint64(len(defaultSymbols)):
		return defaultSymbols[n], nil
	case n >= firstSymbol && n-firstSymbol < uint64(len(t.symbols)):
		return t.symbols[n-firstSymbol], nil
	}
	return "", malformed("symbol %d is in no table", n)
}

func (t *tables) key(n uint64) (PublicKey, error) {
	if n >= uint64(len(t.keys)) {
		return PublicKey{}, malformed("public key %d is in no table", n)
	}
	return t.keys[n], nil
}

// clone is a copy that can be extended by itself.
func (t *tables) clone() *tables {
	return &tables{symbols: slices.Clone(t.symbols), keys: slices.Clone(t.keys), seen: maps.Clone(t.seen)}
}
