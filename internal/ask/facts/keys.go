package facts

import (
	"strconv"
	"sync"

	lang "frontdesk/internal/infra/language"
)

// keyKind is how the value of a key in the language tables is written.
type keyKind string

const (
	textKey  keyKind = "text"  // a text with places
	listKey  keyKind = "list"  // texts between bars
	codedKey keyKind = "coded" // texts between bars, each behind its code
)

// key is what keys.txt declares of a key: every language has it, of this kind, with these places.
type key struct {
	kind  keyKind
	count int // of the texts of a list; 0 for any number
	slots []string
}

var keys = sync.OnceValue(func() map[string]key {
	all := map[string]key{}
	for _, fields := range lang.Records(tables, "keys.txt") {
		k := key{kind: keyKind(fields[1]), slots: fields[2:]}
		if k.kind == listKey && len(k.slots) > 0 {
			k.count, _ = strconv.Atoi(k.slots[0])
			k.slots = nil
		}
		all[fields[0]] = k
	}
	return all
})
