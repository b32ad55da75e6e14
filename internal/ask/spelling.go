package ask

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// spellingName is the attribute of a question by which its words are taken as they stand.
const spellingName = "spelling"

// asWritten are the values that say so.
var asWritten = []string{"exact", "literal", "none", "any", "off", "false", "no preference"}

// applySpelling takes from the attributes of the question the one that says whether its words may
// be corrected.
func (in *askState) applySpelling() {
	value, ok := in.Attributes[spellingName]
	if !ok {
		return
	}
	in.Attributes = maps.Clone(in.Attributes)
	delete(in.Attributes, spellingName)
	in.asked.Literal = literal(value)
}

func literal(value jsontext.Value) bool {
	switch value.Kind() {
	case 'n', 'f':
		return true
	case '"':
		var word string
		return json.Unmarshal(value, &word) == nil &&
			slices.Contains(asWritten, strings.ToLower(strings.TrimSpace(word)))
	}
	return false
}
