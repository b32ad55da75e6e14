package sharing

import (
	"context"
	"net/url"
	"testing"

	"frontdesk/internal/infra/fail"
	"frontdesk/wire/receipt"
)

func TestOnlyEntriesOfTheOwnerAreShared(t *testing.T) {
	t.Parallel()
	entries := map[string]receipt.Entry{}
	for id, party := range map[string]string{
		"own": "", "brought-in": "operator", "platform": "platform:sample", "agent": "agent:",
		"buyer": "buyer:a.example/b",
		"edge":  "edge:north", "alike": "operator:x",
	} {
		entries[id] = receipt.Entry{ID: id, Party: party}
	}
	links := func(secret string) Links {
		return Links{
			Receipt: func(_ context.Context, id string) (receipt.Receipt, error) {
				if e, known := entries[id]; known {
					return receipt.Receipt{Entry: e}, nil
				}
				return receipt.Receipt{}, fail.New(fail.NotFound, "there is none")
			},
			Secret: func() ([]byte, error) { return []byte(secret), nil },
		}
	}
	ours := links("a secret")
	codes := map[string]string{}
	for id, e := range entries {
		path, err := ours.Path(t.Context(), id)
		if !Owned(e) {
			if fail.From(err).Code != fail.Forbidden || path != "" {
				t.Errorf("%s is shared: %q, %v", id, path, err)
			}
			if code, err := ours.code(id); err != nil || ours.Opens(t.Context(), id, code) {
				t.Errorf("%s is opened by the code that it would have, %v", id, err)
			}
			continue
		}
		u, wrong := url.Parse(path)
		if err != nil || wrong != nil || u.Path != "/ledger/receipt/"+id {
			t.Fatalf("%s: %q, %v", id, path, err)
		}
		codes[id] = u.Query().Get("share")
		if !ours.Opens(t.Context(), id, codes[id]) {
			t.Errorf("the code of %s does not open it", id)
		}
		if links("another").Opens(t.Context(), id, codes[id]) || ours.Opens(t.Context(), id, "") {
			t.Errorf("%s is opened by a code of another site, or none", id)
		}
	}
	if ours.Opens(t.Context(), "own", codes["brought-in"]) {
		t.Error("a code opens another entry")
	}
	if _, err := ours.Path(t.Context(), "none"); fail.From(err).Code != fail.NotFound {
		t.Errorf("what is not there: %v", err)
	}
}
