package desk

import (
	"frontdesk/internal/ask"
	"frontdesk/internal/content/released"
)

// Result is one released item.
type Result = released.Result

// toldOf is an item as a summary may speak of it.
func toldOf(r Result) ask.Told {
	t := ask.Told{Type: r.Type(), Name: r.Name(), Language: r.Language(), Text: r.Description()}
	if r.Licensed() {
		return t
	}
	t.Facts = r.Facts()
	if text := r.Passage(); text != "" {
		t.Text += "\n" + text
	}
	return t
}
