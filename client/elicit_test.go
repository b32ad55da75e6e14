package client

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"frontdesk/wire/nlweb"
	"frontdesk/wire/strictjson"
)

func TestAQuestionAskedBackIsAnsweredWithItsSession(t *testing.T) {
	t.Parallel()
	var bodies []map[string]any
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		var body map[string]any
		if err := json.Unmarshal(text, &body); err != nil {
			t.Error(err)
		}
		bodies = append(bodies, body)
		if len(bodies) == 1 {
			fmt.Fprint(w, `{"_meta":{"response_type":"elicitation","version":"0.55","session_context":{"conversation_id":"c","state_token":"s"}},
				"elicitation":{"questions":[{"id":"diet","text":"Any diet?","type":"multi_select","options":["vegan","none"]},{"id":"else","text":"Else?","type":"text"}]}}`)
			return
		}
		fmt.Fprint(w, `{"_meta":{"response_type":"answer","version":"0.55"},"results":[]}`)
	}))
	defer server.Close()
	c, err := New(server.URL, Options{})
	if err != nil {
		t.Fatal(err)
	}
	q := Question{Text: "dinner", Filters: map[string]any{"color": "red"}}
	back, err := c.Ask(t.Context(), q)
	if err != nil || back.Elicitation == nil {
		t.Fatalf("%+v, %v", back, err)
	}
	if typ := back.Elicitation.Questions[1].Type; typ != nlweb.QuestionText {
		t.Errorf("an older desk's question for a text is of type %q", typ)
	}
	reply, err := ReadReply(back.Elicitation.Questions[0], "1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ask(t.Context(), q.Answering(back, map[string]any{"diet": reply})); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{"text": "dinner", "color": "red", "diet": []any{"vegan"}}
	if !reflect.DeepEqual(bodies[1]["query"], want) {
		t.Errorf("asked again as %v, want %v", bodies[1]["query"], want)
	}
	meta, _ := bodies[1]["meta"].(map[string]any)
	if !reflect.DeepEqual(meta["session_context"], map[string]any{"conversation_id": "c", "state_token": "s"}) {
		t.Errorf("the session went along as %v", meta["session_context"])
	}
	if len(q.Filters) != 1 {
		t.Errorf("the question itself was changed: %v", q.Filters)
	}
}

func TestWhoWantsNoQuestionsSaysSo(t *testing.T) {
	t.Parallel()
	for _, no := range []bool{false, true} {
		r := Question{Text: "x", NoQuestions: no}.request(false)
		if told := r.Prefer.Elicitation; (told != nil && !*told) != no {
			t.Errorf("with %t prefer.elicitation is %v", no, told)
		}
	}
}

func TestRepliesAreReadAsTheirQuestionsWantThem(t *testing.T) {
	t.Parallel()
	single := nlweb.Question{Type: nlweb.QuestionSingle, Options: []string{"Red", "Blue", "3"}}
	multi := nlweb.Question{Type: nlweb.QuestionMulti, Options: []string{"vegan", "nut-free"}}
	for _, row := range []struct {
		question nlweb.Question
		said     string
		want     any // nil for an error
	}{
		{single, " red ", "Red"},
		{single, "2", "Blue"},
		{single, "3", "3"},
		{single, "4", nil},
		{single, "green", nil},
		{single, "", NoPreference},
		{single, "No Preference", NoPreference},
		{multi, "2, vegan,2", []string{"nut-free", "vegan"}},
		{multi, "vegan, x", nil},
		{nlweb.Question{Type: nlweb.QuestionNumber}, "2,5", 2.5},
		{nlweb.Question{Type: nlweb.QuestionNumber}, "NaN", nil},
		{nlweb.Question{Type: nlweb.QuestionNumber, Default: strictjson.Value("4")}, "", strictjson.Value("4")},
		{nlweb.Question{Type: nlweb.QuestionBoolean}, "Y", true},
		{nlweb.Question{Type: nlweb.QuestionBoolean}, "no", false},
		{nlweb.Question{Type: nlweb.QuestionBoolean}, "perhaps", nil},
		{nlweb.Question{Type: nlweb.QuestionText}, "something light", "something light"},
		{nlweb.Question{Type: "colour_wheel"}, "teal", "teal"},
	} {
		got, err := ReadReply(row.question, row.said)
		if !reflect.DeepEqual(got, row.want) || (err != nil) != (row.want == nil) {
			t.Errorf("%s %q: %v, %v, want %v", row.question.Type, row.said, got, err, row.want)
		}
	}
}
