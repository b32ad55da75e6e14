package facts

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed intents.txt
var intentText string

// intent is what can be asked, and what answers it.
type intent struct {
	name  string
	form  string
	paths []string
}

var intents = sync.OnceValue(func() map[string]intent {
	all := map[string]intent{}
	for _, fields := range records(intentText) {
		all[fields[0]] = intent{name: fields[0], form: fields[1], paths: fields[2:]}
	}
	return all
})

// Known says whether an intent is in the table.
func Known(intent string) bool {
	_, known := intents()[intent]
	return known
}

// records are the fields of the lines of a table that are neither empty nor comments.
func records(table string) [][]string {
	var all [][]string
	for line := range strings.Lines(table) {
		if fields := strings.Fields(line); len(fields) > 0 && !strings.HasPrefix(fields[0], "#") {
			all = append(all, fields)
		}
	}
	return all
}
