package nlweb

import (
	"context"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"frontdesk/internal/desk"
	wire "frontdesk/wire/nlweb"
)

func TestAQuestionBackIsOneJSONObjectWithEveryKindOfQuestion(t *testing.T) {
	asked := &desk.Elicitation{Text: "Tell me more:", Prompts: []desk.Prompt{
		{ID: "diet", Text: "Any diet?", Kind: desk.MultiSelect, Options: []string{"vegan", "no preference"}},
		{ID: "time", Text: "How long?", Kind: desk.SingleSelect, Options: []string{"under 20 minutes", "longer"}, Default: jsontext.Value(`"longer"`)},
		{ID: "budget", Text: "How much?", Kind: desk.Number, Default: jsontext.Value(`20`)},
		{ID: "stock", Text: "In stock only?", Kind: desk.Boolean},
		{ID: "else", Text: "Anything \xff else?", Kind: desk.FreeText},
	}}
	const want = `{"_meta":{"response_type":"elicitation","version":"0.55","session_context":{"k":1},"processing_time_ms":0},` +
		`"elicitation":{"text":"Tell me more:","questions":[` +
		`{"id":"diet","text":"Any diet?","type":"multi_select","options":["vegan","no preference"]},` +
		`{"id":"time","text":"How long?","type":"single_select","options":["under 20 minutes","longer"],"default":"longer"},` +
		`{"id":"budget","text":"How much?","type":"number","default":20},` +
		`{"id":"stock","text":"In stock only?","type":"boolean"},` +
		`{"id":"else","text":"Anything ` + "\uFFFD" + ` else?","type":"free_text"}]}}`
	d := newDoor(nil, Config{Now: noon})
	x := func() *exchange {
		// A widget is for answers: an elicitation has neither format nor template.
		x := &exchange{start: noon(), meta: wire.Meta{Version: wire.Version, ResponseType: wire.TypeAnswer, ResponseFormat: wire.FormatChatGPT}}
		x.meta.SessionContext = []byte(`{"k":1}`)
		x.dress(Widget{Template: "ui://widget"})
		return x
	}
	w := httptest.NewRecorder()
	d.askBack(context.Background(), w, x(), asked)
	if got := w.Body.String(); w.Code != 200 || w.Header().Get("Content-Type") != "application/json" || got != want+"\n" {
		t.Errorf("%d %s\n got %s\nwant %s", w.Code, w.Header().Get("Content-Type"), got, want)
	}
	result := d.compose(context.Background(), x(), &desk.Reply{Elicitation: asked}, nil).result()
	if string(result.Object) != want || result.Failed {
		t.Errorf("as a tool's result: failed %t\n got %s\nwant %s", result.Failed, result.Object, want)
	}
	if meta := `{"response_type":"elicitation","version":"0.55","session_context":{"k":1},"processing_time_ms":0}`; string(result.Meta) != meta {
		t.Errorf("the result's metadata is %s, want %s", result.Meta, meta)
	}
}
