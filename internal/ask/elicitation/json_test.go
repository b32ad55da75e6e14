package elicitation

import (
	"testing"

	"github.com/go-json-experiment/json"
)

func unmarshal(text string, into any) error { return json.Unmarshal([]byte(text), into) }

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
