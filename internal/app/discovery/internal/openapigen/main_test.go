package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDescriptionIsCurrent(t *testing.T) {
	t.Parallel()
	want, err := generate("../../../../../wire/nlweb")
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../../openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(have)); diff != "" {
		t.Errorf("internal/app/discovery/openapi.json is not current; run `go generate ./internal/app/discovery`\n%s",
			diff)
	}
}

func TestSchemasFollowTypesAndComments(t *testing.T) {
	t.Parallel()
	type inner struct {
		Kind string `json:"kind"`
	}
	type outer struct {
		Inner  []*inner               `json:"inner,omitempty"`
		Number *float64               `json:"number,omitzero"`
		Yes    bool                   `json:"yes"`
		Self   *outer                 `json:"self,omitzero"`
		Other  map[string]interface{} `json:",embed"`
	}
	s := &schemas{made: object{}, comments: map[string]string{"outer": "An outer.", "outer.Yes": "Yes or no."}}
	if got := s.of(reflect.TypeFor[outer]()); got["$ref"] != "#/components/schemas/outer" {
		t.Errorf("a struct is %v", got)
	}
	got, _ := json.Marshal(s.made)
	const want = `{"inner":{"properties":{"kind":{"type":"string"}},"required":["kind"],"type":"object"},` +
		`"outer":{"additionalProperties":true,"description":"An outer.","properties":{"inner":{"items":{"$ref":"#/components/schemas/inner"},"type":"array"},` +
		`"number":{"type":"number"},"self":{"$ref":"#/components/schemas/outer"},"yes":{"description":"Yes or no.","type":"boolean"}},"required":["yes"],"type":"object"}}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Error(diff)
	}
}

// TestWhatIsSaidOfMembersIsSaidOfSome finds members that are in special for nothing, and types
// without a comment.
func TestWhatIsSaidOfMembersIsSaidOfSome(t *testing.T) {
	t.Parallel()
	text, err := generate("../../../../../wire/nlweb")
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Description string
				Properties  map[string]any
			}
		}
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	for name, schema := range doc.Components.Schemas {
		if schema.Description == "" {
			t.Errorf("%s has no description", name)
		}
	}
	for name := range special {
		typ, member, _ := strings.Cut(name, ".")
		if _, there := doc.Components.Schemas[typ].Properties[member]; !there {
			t.Errorf("there is no member %s", name)
		}
	}
}
