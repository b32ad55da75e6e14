package intent

import (
	"bytes"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// WithSchema does something while another schema stands in for a document's.
func WithSchema(k Kind, text []byte, do func()) error {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return err
	}
	validator, err := compileOne(k, value)
	if err != nil {
		return err
	}
	before := compiled
	defer func() { compiled = before }()
	validators, values := before()
	validators, values = maps.Clone(validators), maps.Clone(values)
	validators[k], values[schemaID(k)] = validator, value
	compiled = func() (map[Kind]*jsonschema.Schema, map[string]any) { return validators, values }
	do()
	return nil
}

// Rules are the findings' rules, in order.
func (f Findings) Rules() (rules []string) {
	for _, finding := range f {
		rules = append(rules, finding.Rule)
	}
	slices.Sort(rules)
	return rules
}
