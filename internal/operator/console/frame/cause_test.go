package frame

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/ask/i18n"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
)

// TestCausesAreToldInTheLanguageOfWhoReads holds that an error is told in the reader's language by
// what it comes of, with the program's English behind it and marked as that.
func TestCausesAreToldInTheLanguageOfWhoReads(t *testing.T) {
	t.Parallel()
	templates, _ := fs.Sub(embedded, ".")
	d := newDrawing(time.Now, []Pages{{Templates: templates, Words: ownWords + storedWords}})
	german, english := d.speech(i18n.For("de")), d.speech(i18n.For("en"))
	detail := `no tenant "<a>"`
	const escaped = `no tenant &#34;&lt;a&gt;&#34;`
	err := fmt.Errorf("look: %w", fail.New(fail.NotFound, "%s", detail))
	want := `Das gibt es hier nicht oder nicht mehr. <bdi lang="en">` + escaped + `</bdi>`
	if got := german.why(err); string(got) != want {
		t.Errorf("in German it is told as %q", got)
	}
	if got := english.why(err); string(got) != escaped {
		t.Errorf("in English it is told as %q", got)
	}
	if got := german.why(Fail(fail.NotFound, "fault.page")); strings.Contains(string(got), "lang=") {
		t.Errorf("an error of the pages is told as %q", got)
	}
	if got := german.why(errors.New("secret")); strings.Contains(string(got), "secret") {
		t.Errorf("an error of ours is told as %q", got)
	}
	other := german.because("", "x")
	for _, cause := range []fetch.Reason{
		fetch.Refused, fetch.Disallowed, fetch.Unreachable, fetch.TimedOut, fetch.TooLarge, fetch.Undecodable,
		fetch.Redirects,
	} {
		failed := fail.New(fail.Invalid, "x").Wrap(&fetch.Error{Reason: cause, Detail: "x"})
		if got := german.why(failed); got == other || got == german.because(string(fail.Invalid), "x") {
			t.Errorf("%s is told as %q", cause, got)
		}
	}
}
