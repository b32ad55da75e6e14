package nlweb

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"frontdesk/internal/ask"
	"frontdesk/internal/infra/store"
	wire "frontdesk/wire/nlweb"
)

// legacyStreamOf streams an answer in the flat dialect to a client whose request has a context of
// its own.
func legacyStreamOf(t *testing.T, d *ask.Service, answer *ask.Answer, ctx context.Context) string {
	t.Helper()
	w := httptest.NewRecorder()
	x := legacy{exchange: &exchange{start: noon()}, id: "q"}
	Handler(d, Config{Now: noon}).(*door).legacyEvents(ctx, w, nil, x, answer)
	return w.Body.String()
}

func TestFailureInTheMiddleOfALegacyStreamIsAnErrorBeforeComplete(t *testing.T) {
	t.Parallel()
	d, db := fixture(t, 50)
	answer, err := answerTo(d.Ask(context.Background(), ask.Question{Text: "lamp", Limit: 50}))
	if err != nil {
		t.Fatal(err)
	}
	err = db.Update(t.Context(), func(tx *store.Tx) error { // what is not ready yet can no longer be read
		_, err := tx.Exec(t.Context(), `DROP TABLE content_item`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	body := legacyStreamOf(t, d, answer, context.Background())
	items := strings.Count(body, `"schema_object":`)
	failed := strings.Index(body, `data: {"message_type":"error","query_id":"q","message":`)
	if items == 0 || items >= 50 || failed < 0 || !strings.HasSuffix(body,
		"\n\ndata: {\"message_type\":\"complete\",\"query_id\":\"q\"}\n\n") || strings.Contains(body, "content_item") {
		t.Errorf("%d items, error at %d:\n%s", items, failed, body)
	}
}

func TestNothingIsWrittenInTheFlatDialectForAClientThatHasGone(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t)
	answer, err := answerTo(d.Ask(context.Background(), ask.Question{Text: "lamp"}))
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if body := legacyStreamOf(t, d, answer, gone); strings.Contains(body, wire.LegacyResultBatch) {
		t.Errorf("results are written for a client that has gone: %s", body)
	}
}

func TestLegacyQuestionWithoutAnIDGetsOne(t *testing.T) {
	t.Parallel()
	d, _ := fixture(t)
	h := Handler(d, Config{Now: noon})
	seen := map[string]bool{}
	for range 10 {
		_, rest, _ := strings.Cut(post(t, h, "", `{"query":"lamp","streaming":false}`).Body.String(), `"query_id":"`)
		id, _, _ := strings.Cut(rest, `"`)
		if len(id) < 16 || seen[id] {
			t.Errorf("id %q", id)
		}
		seen[id] = true
	}
	long := post(t, h, "", `{"query":"lamp","streaming":false,"query_id":"`+strings.Repeat("ü", 500)+`"}`).Body.String()
	if !strings.Contains(long, `"query_id":"`+strings.Repeat("ü", maxID)+`"`) {
		t.Errorf("a long id comes back as %s", long)
	}
}
