package transactions

import (
	"encoding/json"
	"strings"
)

// usageColumn is the step of Schema for what reports say beside how much was used: UsageDetails as
// JSON, empty for nothing.
const usageColumn = `ALTER TABLE deal_transaction ADD COLUMN details TEXT NOT NULL DEFAULT '';`

// UsageDetails is what a report says of a use beside its quantity (RAMP v1, Usage and UsageReport).
// The ledger's entry has the same members.
type UsageDetails struct {
	Assets       []Asset       `json:"assets,omitempty"`
	Attribution  []Attribution `json:"attribution,omitempty"`
	Cited        *bool         `json:"citation_included,omitempty"` // nil where it does not say
	Shown        *bool         `json:"displayed_to_user,omitempty"`
	Exchange     string        `json:"exchange,omitempty"`   // that the report is for
	Functions    []string      `json:"functions,omitempty"`  // CoMP's names, such as "FUNCTION_AI_INPUT"
	Request      string        `json:"request_id,omitempty"` // of the query that it began with
	SubFunctions []string      `json:"subfn,omitempty"`      // CoMP's names, such as "SUB_FUNCTION_RAG"
}

// Attribution is how people were shown where something is from (RAMP v1, AttributionDetail).
type Attribution struct {
	URL     string `json:"displayed_url,omitempty"`
	Format  string `json:"format,omitempty"` // "CITATION_FORMAT_LINK" and the like; empty where it does not say
	Visible *bool  `json:"visible_to_user,omitempty"`
}

// String is the attribution for people, as "https://site.example/a (link, visible)".
func (a Attribution) String() string {
	var words []string
	if a.Format != "" {
		words = append(words, strings.ToLower(strings.TrimPrefix(a.Format, "CITATION_FORMAT_")))
	}
	if a.Visible != nil && *a.Visible {
		words = append(words, "visible")
	} else if a.Visible != nil {
		words = append(words, "not visible")
	}
	switch {
	case len(words) == 0:
		return a.URL
	case a.URL == "":
		return "without an address (" + strings.Join(words, ", ") + ")"
	}
	return a.URL + " (" + strings.Join(words, ", ") + ")"
}

// Asset is a part of what was bought that was used (RAMP v1, UsageAsset).
type Asset struct {
	Package string `json:"package_id,omitempty"`
	Title   string `json:"title,omitempty"`
	URI     string `json:"uri,omitempty"`
}

// Usage is what the report says beside how much was used; the zero value of a report that was filed
// before details were kept.
func (r Report) Usage() (d UsageDetails) {
	if r.Details != "" {
		_ = json.Unmarshal([]byte(r.Details), &d) // which UsageDetails.JSON wrote
	}
	return d
}

// JSON is what Report.Details keeps; empty for nothing.
func (d UsageDetails) JSON() string {
	text, err := json.Marshal(d)
	if err != nil || string(text) == "{}" {
		return ""
	}
	return string(text)
}

// Words are the functions as terms name them, such as "ai-input".
func (d UsageDetails) Words() (all []string) {
	for _, name := range d.Functions {
		all = append(all, strings.ReplaceAll(strings.ToLower(strings.TrimPrefix(name, "FUNCTION_")), "_", "-"))
	}
	return all
}
