package intent

// WithSchema does something while another schema stands in for a document's.
func WithSchema(k Kind, text []byte, do func()) error { return schemas.With(string(k), text, do) }
