package console

import (
	"fmt"
	"testing"
	"time"

	"frontdesk/wire/receipt"
)

func TestWhatDiffersIsNamed(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	ours := receipt.Entry{Time: at, Kind: "access", Party: "platform:a", Body: []byte(`{"a":1,"b":[2]}`)}
	text := receipt.Entry{Time: at.Add(time.Second), Kind: "access", Party: "platform:b", Body: []byte(`{"b":[2],"c":3}`)}
	got := fmt.Sprint(differences(text, ours))
	if want := "[{body.a  1} {body.c 3 } {party platform:b platform:a} {time " +
		"2026-11-22T12:00:01Z 2026-11-22T12:00:00Z}]"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if same := differences(ours, ours); same != nil {
		t.Errorf("an entry differs from itself: %v", same)
	}
}

func TestErrorsAreSaidAsSentences(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"the entry was changed": "The entry was changed.", "ärger": "Ärger.", "Done.": "Done.", "": ".",
	} {
		if got := sentence(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
