package asked

import (
	"slices"
	"testing"

	"frontdesk/internal/ask"
)

func TestWhatWasLookedForIsLeftOfWhatWasRead(t *testing.T) {
	t.Parallel()
	u := ask.Understanding{
		Text: "dinner chickpeas; diet: vegan; newest first", Filters: []ask.Filter{{Text: "diet: vegan"}},
		Sort: &ask.Order{Text: "newest first"}, Corrected: []ask.Correction{{From: "vegn", To: "vegan"}},
	}
	if got := lookedFor(u, "vegn dinner chickpeas"); got != "dinner chickpeas" {
		t.Errorf("%q", got)
	}
	if got := chips(u); !slices.Equal(got, []string{"vegn → vegan", "diet: vegan", "newest first"}) {
		t.Errorf("%q", got)
	}
	if got := lookedFor(ask.Understanding{}, "plain words"); got != "plain words" {
		t.Errorf("%q", got)
	}
}
