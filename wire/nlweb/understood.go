package nlweb

// Understood is what a question was taken to want, in words for people and as filters. It is an
// extension that the protocol permits, and absent where nothing but words to search for was found
// in a question.
type Understood struct {
	// the question made to stand by itself, where it went on from others
	Query string `json:"query,omitzero"`
	// all that follows in plain words, in the language of the answer
	Text    string   `json:"text,omitzero"`
	Filters []Filter `json:"filters,omitempty"` // which hold all together
	Sort    *Order   `json:"sort,omitzero"`     // absent: by how well the items fit
	Count   int      `json:"count,omitzero"`    // how many items were asked for
	Intent  string   `json:"intent,omitzero"`   // "compare" or "detail"; absent: items that fit are listed
	// the outcome of a comparison or the detail, in a sentence made of the items' own facts
	Answer    string       `json:"answer,omitzero"`
	Corrected []Corrected  `json:"corrected,omitempty"` // words that were read as others
	Relaxed   []Relaxation `json:"relaxed,omitempty"`   // filters that were let go since nothing met them
}

// Filter is one condition that the items were held to. An attribute of query of the same name with
// the value "any" takes it away; one with another value replaces it.
type Filter struct {
	Name   string   `json:"name"`             // of the attribute that filters so, such as "price"
	Text   string   `json:"text"`             // in plain words, such as "price under 20 USD"
	Min    *float64 `json:"min,omitzero"`     // a figure's lower bound
	Max    *float64 `json:"max,omitzero"`     // a figure's upper bound
	Above  bool     `json:"above,omitzero"`   // min itself is outside
	Below  bool     `json:"below,omitzero"`   // max itself is outside
	Unit   string   `json:"unit,omitzero"`    // of the figures: a currency (ISO 4217), "min", "kcal", "g", "mg", ...
	Start  string   `json:"start,omitzero"`   // a time's first moment, RFC 3339
	End    string   `json:"end,omitzero"`     // the moment before which it lies, RFC 3339
	Values []string `json:"values,omitempty"` // words, any of which will do
	Not    bool     `json:"not,omitzero"`     // items for which it holds are left out
	Soft   bool     `json:"soft,omitzero"`    // raises items and leaves none out
	From   string   `json:"from"`             // "question", "attribute", "answer", "earlier", "context" or "memory"
}

// Order is an order of the items.
type Order struct {
	By    string `json:"by"`    // name of the figure, such as "price"
	Order string `json:"order"` // "ascending" or "descending"
	Text  string `json:"text"`  // in plain words
}

// Corrected is a word of the question that was read as another.
type Corrected struct {
	From string `json:"from"`
	To   string `json:"to"`
}

// Relaxation is a filter that was let go.
type Relaxation struct {
	Name string `json:"name"`
	Text string `json:"text"` // in plain words
}
