package httpx

import (
	"encoding/json"
	"slices"
	"strings"
)

// CompactTool returns a tool with small schemas, since models read lists of tools whole. Of its
// arguments they keep types, values, what is required, and the descriptions of required members.
// Calls take what they took, and their errors say what does not fit.
func CompactTool(t Tool) Tool {
	t.Output = nil
	var whole property
	if json.Unmarshal(t.Input, &whole) != nil {
		return t
	}
	for _, name := range seldom {
		if !slices.Contains(whole.Required, name) {
			delete(whole.Properties, name)
		}
	}
	for name, one := range whole.Properties {
		short := one.brief()
		if !slices.Contains(whole.Required, name) || strings.HasSuffix(name, "_id") { // which says enough
			short.Description = ""
		}
		whole.Properties[name] = short
	}
	if text, err := json.Marshal(whole); err == nil {
		t.Input = text
	}
	return t
}

// seldom are arguments that a model has no use for; who knows them can send them.
var seldom = []string{"ver", "request_id", "ext", "ext_critical", "supported_profiles", "deadline", "timestamp",
	"exchange", "assets", "metadata"}

// property is what a brief schema keeps of one.
type property struct {
	Type        any                  `json:"type,omitempty"`
	Enum        []any                `json:"enum,omitempty"`
	Required    []string             `json:"required,omitempty"`
	Properties  map[string]*property `json:"properties,omitempty"`
	Items       *property            `json:"items,omitempty"`
	Format      string               `json:"format,omitempty"`
	Description string               `json:"description,omitempty"`
}

func (p *property) brief() *property {
	kept := &property{Type: p.Type, Enum: p.Enum, Required: p.Required, Format: p.Format}
	kept.Description, _, _ = strings.Cut(p.Description, ". ")
	if p.Items != nil && p.Items.Type != "string" {
		kept.Items = &property{Type: p.Items.Type, Enum: p.Items.Enum, Required: p.Items.Required}
	}
	return kept
}
