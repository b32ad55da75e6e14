package intent

import "slices"

// WithSchema does something while another schema stands in for a document's.
func WithSchema(k Kind, text []byte, do func()) error { return schemas.With(string(k), text, do) }

// Rules are the findings' rules, in order.
func Rules(f Findings) (rules []string) {
	for _, finding := range f {
		rules = append(rules, finding.Rule)
	}
	slices.Sort(rules)
	return rules
}
