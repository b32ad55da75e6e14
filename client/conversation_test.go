package client

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"frontdesk/wire/nlweb"
)

// talker is a desk that counts the questions of each session in its state, and remembers what it
// was sent.
type talker struct {
	asked   []nlweb.AskRequest
	deleted []string
	state   int
}

func (d *talker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodDelete {
		d.deleted = append(d.deleted, r.URL.EscapedPath()+" "+r.Header.Get("Session-State"))
		if strings.Contains(r.URL.Path, "sealed") {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprint(w, `{"_meta":{"response_type":"failure","version":"0.55"},"error":{"code":"FORBIDDEN","message":"Show whose it is."}}`)
			return
		}
		w.WriteHeader(http.StatusNoContent)
		return
	}
	var request nlweb.AskRequest
	if err := json.UnmarshalRead(r.Body, &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	d.asked = append(d.asked, request)
	d.state++
	meta := fmt.Sprintf(`"version":"0.55","session_context":{"conversation_id":"c/1","state_token":"s%d"}`, d.state)
	switch request.Query.Text {
	case "nothing":
		fmt.Fprintf(w, `{"_meta":{"response_type":"failure",%s},"error":{"code":"NO_RESULTS","message":"Nothing."}}`, meta)
	case "vague":
		fmt.Fprintf(w, `{"_meta":{"response_type":"elicitation",%s},"elicitation":{"questions":[{"id":"diet","text":"Diet?","type":"free_text"}]}}`, meta)
	default:
		fmt.Fprintf(w, `{"_meta":{"response_type":"answer",%s},"results":[{"@type":"Thing","name":"One"}]}`, meta)
	}
}

// talkTo runs a test with a client of a desk.
func talkTo(t *testing.T, desk http.Handler, test func(*Client)) {
	t.Helper()
	server := httptest.NewServer(desk)
	t.Cleanup(server.Close)
	c, err := New(server.URL, Options{})
	if err != nil {
		t.Fatal(err)
	}
	test(c)
}

func TestAConversationCarriesItsSessionAndItsQuestions(t *testing.T) {
	t.Parallel()
	desk := &talker{}
	talkTo(t, desk, func(c *Client) {
		talk := c.Converse(Question{Types: []string{"Recipe"}, User: "jane", Remember: true})
		for _, text := range []string{"muffins", "nothing", "vague", "with nuts"} {
			if _, err := talk.Ask(t.Context(), text); err != nil && !IsNoResults(err) {
				t.Fatal(err)
			}
		}
		var came []string
		for _, request := range desk.asked {
			var before []string
			for _, context := range request.Context {
				before = append(before, context.Prev...)
			}
			if len(request.Query.ItemType) != 1 || request.Meta.Remember == nil || !*request.Meta.Remember ||
				string(request.Meta.User) != `"jane"` {
				t.Errorf("what holds for all questions is not with %q", request.Query.Text)
			}
			came = append(came,
				fmt.Sprintf("%s after %q with %s", request.Query.Text, before, request.Meta.SessionContext))
		}
		if diff := cmp.Diff([]string{
			`muffins after [] with null`,
			`nothing after ["muffins"] with {"conversation_id":"c/1","state_token":"s1"}`,
			`vague after ["muffins" "nothing"] with {"conversation_id":"c/1","state_token":"s2"}`,
			`with nuts after ["muffins" "nothing"] with {"conversation_id":"c/1","state_token":"s3"}`, // what was asked back is not asked yet
		}, came); diff != "" {
			t.Error(diff)
		}
	})
}

func TestAConversationIsForgottenAtTheDeskAndHere(t *testing.T) {
	t.Parallel()
	desk := &talker{}
	talkTo(t, desk, func(c *Client) {
		talk := c.Converse(Question{})
		if err := talk.Forget(t.Context()); err != nil || desk.deleted != nil {
			t.Errorf("a conversation that has not begun: %v, %q", err, desk.deleted)
		}
		if _, err := talk.Ask(t.Context(), "muffins"); err != nil {
			t.Fatal(err)
		}
		if err := talk.Forget(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"/sessions/c%2F1 s1"}, desk.deleted); diff != "" {
			t.Error(diff)
		}
		if talk.Session() != nil || talk.Previous() != nil {
			t.Errorf("left are %s and %q", talk.Session(), talk.Previous())
		}
		sealed := c.Converse(Question{Session: []byte(`{"conversation_id":"sealed"}`)})
		if err := sealed.Forget(t.Context()); err == nil || err.Error() != "Show whose it is. (FORBIDDEN)" {
			t.Errorf("a conversation of somebody else: %v", err)
		}
	})
}
