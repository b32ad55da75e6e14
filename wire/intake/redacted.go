package intake

import (
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"frontdesk/wire/strictjson"
)

// Redacted is the text that stands for one that was struck out, in any case of its letters.
const Redacted = "[redacted]"

// Redact takes those members at the top of data out that are struck out though the schema makes them optional, and says
// which members are struck out: those names in struck, and in needed the names of such as cannot be spared. Where
// nothing is struck out, kept is data itself.
func (s *Schema) Redact(data strictjson.Value) (kept strictjson.Value, struck, needed []string) {
	if !strings.Contains(strings.ToLower(string(data)), Redacted) {
		return data, nil, nil
	}
	var members map[string]strictjson.Value
	if strictjson.Decode(data, &members) != nil {
		return data, nil, nil
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		var text string
		if members[name].Kind() != '"' || strictjson.Decode(members[name], &text) != nil || !strings.EqualFold(strings.TrimSpace(text), Redacted) {
			continue
		}
		if s.spares(name) {
			struck = append(struck, name)
			delete(members, name)
		} else {
			needed = append(needed, name)
		}
	}
	if len(struck) == 0 {
		return data, nil, needed
	}
	kept, err := json.Marshal(members, json.Deterministic(true))
	if err != nil {
		return data, nil, needed
	}
	return kept, struck, needed
}

// spares says whether a member is an optional string.
func (s *Schema) spares(name string) bool {
	at := s.compiled.Properties[name]
	for at != nil && at.Ref != nil && at.Types == nil {
		at = at.Ref
	}
	return at != nil && !slices.Contains(s.compiled.Required, name) && isString(at)
}

func isString(at *jsonschema.Schema) bool {
	if at.Types != nil {
		return slices.Contains(at.Types.ToStrings(), "string")
	}
	if at.Enum == nil {
		return false
	}
	return !slices.ContainsFunc(at.Enum.Values, func(v any) bool { _, text := v.(string); return !text })
}
