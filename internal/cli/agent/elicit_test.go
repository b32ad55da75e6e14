package agent

import (
	"bufio"
	"reflect"
	"strings"
	"testing"

	"frontdesk/wire/nlweb"
	"frontdesk/wire/strictjson"
)

func TestQuestionsAskedBackArePutOneByOne(t *testing.T) {
	t.Parallel()
	asked := &nlweb.Elicitation{Text: "Tell\x1b[2J me more.", Questions: []nlweb.Question{
		{ID: "diet", Text: "Any diet?", Type: nlweb.QuestionMulti, Options: []string{"vegan", "nut-free"}},
		{ID: "people", Text: "For how many?", Type: nlweb.QuestionNumber},
		{ID: "stock", Text: "In stock only?", Type: nlweb.QuestionBoolean, Default: strictjson.Value("true")},
		{ID: "more", Text: "Anything else?", Type: nlweb.QuestionText},
		{ID: "colour", Text: "Which colour?", Type: nlweb.QuestionSingle, Options: []string{"red"}},
	}}
	var out strings.Builder
	replies, err := interview(bufio.NewReader(strings.NewReader("1, nut-free\nmany\n4\n\nsomething light\npurple")),
		&out, asked)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"diet": []string{"vegan", "nut-free"}, "people": 4.0, "stock": strictjson.Value("true"),
		"more": "something light", "colour": "no preference",
	}
	if !reflect.DeepEqual(replies, want) {
		t.Errorf("replies %#v, want %#v", replies, want)
	}
	for _, part := range []string{"  2  nut-free\n", `"many" is no number`, "yes or no > "} {
		if !strings.Contains(out.String(), part) {
			t.Errorf("%q was not written:\n%s", part, &out)
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Error("a question commands the terminal")
	}
}
