package facts

import (
	"sync"

	lang "frontdesk/internal/infra/language"
)

// intent is what can be asked, and what answers it.
type intent struct {
	name  string
	form  string
	paths []string
}

var intents = sync.OnceValue(func() map[string]intent {
	all := map[string]intent{}
	for _, fields := range lang.Records(tables, "intents.txt") {
		all[fields[0]] = intent{name: fields[0], form: fields[1], paths: fields[2:]}
	}
	return all
})
