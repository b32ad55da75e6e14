package intake

// Form is what the Read functions judge by.
func Form(k Kind, body []byte, o Options) Findings {
	_, findings := check(k, body, o)
	return findings
}

// WithSchema does something while another schema stands in for a message's.
func WithSchema(k Kind, text []byte, do func()) error { return schemas.With(string(k), text, do) }
