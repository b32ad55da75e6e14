package operations

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestOperationsSayWhatTheyAreToldOnceEach holds the table of operations against their fields.
func TestOperationsSayWhatTheyAreToldOnceEach(t *testing.T) {
	t.Parallel()
	wild := regexp.MustCompile(`\{(\w+)`)
	addresses, ids, inputs := map[string]bool{}, map[string]bool{}, map[reflect.Type]bool{}
	for _, op := range All() {
		if inputs[op.In] || Of(op.In).ID != op.ID {
			t.Errorf("%v is told to two operations", op.In)
		}
		inputs[op.In] = true
		if op.Method == "" {
			continue
		}
		if address := op.Method + " " + op.Path; addresses[address] || ids[op.ID] || op.ID == "" || op.Summary == "" {
			t.Errorf("%s %s: there is another, or no name or summary", address, op.ID)
		}
		addresses[op.Method+" "+op.Path], ids[op.ID] = true, true
		var inPath []string
		for _, f := range reflect.VisibleFields(op.In) {
			if path := f.Tag.Get("path"); path != "" {
				inPath = append(inPath, strings.Split(path, ",")...)
			}
		}
		for _, name := range wild.FindAllStringSubmatch(op.Path, -1) {
			if !slices.Contains(inPath, name[1]) {
				t.Errorf("%v has no field for %s of %s", op.In, name[0]+"}", op.Path)
			}
		}
	}
}
