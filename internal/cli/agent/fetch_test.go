package agent

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"frontdesk/client"
	"frontdesk/internal/cli/command"
	rampv1 "frontdesk/wire/ramp/v1"
)

// TestOnlyWhatWasOfferedIsWritten writes what was delivered, to standard output and into a file:
// nothing of what is not what was offered, and with a word where nothing holds it.
func TestOnlyWhatWasOfferedIsWritten(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		content        client.Content
		wrong          error
		written, noted bool
	}{
		{"as offered", client.Content{Offered: true}, nil, true, false},
		{"in another form, with a digest", client.Content{Digested: true}, nil, true, false},
		{"in another form, without one", client.Content{}, nil, true, true},
		{"another than offered", client.Content{Digested: true}, &client.Unfinished{Purchase: &client.Purchase{},
			Step: client.StepCheck, Err: client.ErrOtherContent}, false, false},
		{"changed on its way", client.Content{}, &client.Unfinished{Purchase: &client.Purchase{},
			Step: client.StepCheck, Err: client.ErrDamaged}, false, false},
		{
			"as offered, and charged too much", client.Content{Offered: true}, &client.Unfinished{
				Purchase: &client.Purchase{}, Step: client.StepCheck, Err: client.ErrOvercharged,
			}, true, false,
		},
		{"as offered, and not reported", client.Content{Offered: true}, errors.New("not reported"), true, false},
	} {
		for _, file := range []string{"", filepath.Join(t.TempDir(), "text")} {
			var out, note strings.Builder
			c.content.Body = []byte("A text.")
			err := writeContent(&command.Environment{Stdout: &out, Stderr: &note}, file, &c.content, c.wrong)
			text := out.String()
			if file != "" {
				written, _ := os.ReadFile(file)
				text += string(written)
			}
			if (err != nil) != (c.wrong != nil) || (text == "A text.") != c.written || !c.written && text != "" ||
				(note.Len() > 0) != c.noted {
				t.Errorf("%s, into %q: wrote %q, said %q, %v", c.name, file, text, note.String(), err)
			}
		}
	}
}

// TestAPurchaseIsKeptWhole replaces a purchase in its file, leaves nothing beside it, and leaves
// the file as it was where that fails.
func TestAPurchaseIsKeptWhole(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	file := filepath.Join(folder, "kept.json")
	for i := range 3 {
		p := &client.Purchase{Exchange: "https://exchange.example", ID: fmt.Sprint(i),
			Offer: &rampv1.Offer{OfferId: "o"}}
		if err := keepPurchase(file, p); err != nil {
			t.Fatal(err)
		}
		read, err := readPurchase(file)
		if err != nil || read.ID != p.ID {
			t.Errorf("%+v, %v", read, err)
		}
	}
	about, err := os.Stat(file)
	if err != nil || about.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", about.Mode(), err)
	}
	if all, _ := os.ReadDir(folder); len(all) != 1 {
		t.Errorf("beside it lie %v", all)
	}
	if err := keepPurchase(filepath.Join(folder, "none", "kept.json"),
		&client.Purchase{Exchange: "x", Offer: &rampv1.Offer{}}); err == nil {
		t.Error("kept in a folder that is not there")
	}
}
