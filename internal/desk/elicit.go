package desk

import "github.com/go-json-experiment/json/jsontext"

// Elicitation is a question back (NLWeb 0.55 §4.1.3).
type Elicitation struct {
	Text    string // what is needed, and why; in the language of the answer
	Prompts []Prompt
}

// Prompt is one question of an elicitation. Its answer comes back with the same question, as an attribute named by ID.
type Prompt struct {
	ID      string
	Text    string
	Kind    PromptKind
	Options []string       // of single_select and multi_select, as people read them
	Default jsontext.Value // the answer to begin with; empty for none
}

// PromptKind is how a question that is asked back is answered.
type PromptKind string

// The kinds that NLWeb 0.55 §4.1.3 defines.
const (
	SingleSelect PromptKind = "single_select"
	MultiSelect  PromptKind = "multi_select"
	FreeText     PromptKind = "free_text"
	Number       PromptKind = "number"
	Boolean      PromptKind = "boolean"
)
