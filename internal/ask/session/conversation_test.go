package session

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"frontdesk/internal/testkit/clock"
)

// conversing returns the conversations of a front desk whose secret is the same byte throughout.
func conversing(secret byte, at *clock.Clock) *Conversations {
	return NewConversations(ConversationOptions{Secret: []byte(strings.Repeat(string(rune(secret)), 32)), Now: at.Now})
}

var sameTurns = cmpopts.IgnoreFields(Conversation{}, "At")

func TestAStateComesBackAsItWas(t *testing.T) {
	t.Parallel()
	at := clock.At(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	c := conversing('k', at)
	v := c.Open("", "", "")
	if len(v.ID) < 20 || v.ID == c.Open("", "", "").ID {
		t.Fatalf("a new conversation has the id %q", v.ID)
	}
	v.Add(Turn{Text: "breakfast muffins", Attributes: map[string]jsontext.Value{"price": jsontext.Value(`{"max":20}`)},
		Types: []string{"Recipe"}, Given: 10})
	v.Add(Turn{Text: "high protein ones", Whole: "high protein breakfast muffins", Given: 3})
	if diff := cmp.Diff(v, c.Open(v.ID, "", c.Seal(v, "")), sameTurns); diff != "" {
		t.Error(diff)
	}
}

func TestAStateIsGoodOnlyWhereItIsFrom(t *testing.T) {
	t.Parallel()
	at := clock.At(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	c := conversing('k', at)
	v := Conversation{ID: "c-1", Turns: []Turn{{Text: "soup"}}}
	state := c.Seal(v, "key:a")
	if got := c.Open("c-1", "key:a", state); len(got.Turns) != 1 {
		t.Fatalf("the state is not good where it is from: %+v", got)
	}
	changed := []byte(state)
	changed[len(changed)/2] ^= 1
	for name, got := range map[string]Conversation{
		"another conversation": c.Open("c-2", "key:a", state),
		"another party":        c.Open("c-1", "key:b", state),
		"a stranger":           c.Open("c-1", "", state),
		"id and party shifted": c.Open("a", "key:ac-1", state),
		"another front desk":   conversing('x', at).Open("c-1", "key:a", state),
		"changed":              c.Open("c-1", "key:a", string(changed)),
		"cut":                  c.Open("c-1", "key:a", state[:30]),
		"longer than allowed":  c.Open("c-1", "key:a", strings.Repeat("A", MaxState+1)),
		"no base64":            c.Open("c-1", "key:a", "%"),
	} {
		if len(got.Turns) > 0 {
			t.Errorf("%s: the state was taken: %+v", name, got)
		}
		if got.ID == "" {
			t.Errorf("%s: the conversation lost its id", name)
		}
	}
	at.Advance(24*time.Hour + time.Second)
	if got := c.Open("c-1", "key:a", state); len(got.Turns) > 0 {
		t.Error("the state is good after a day")
	}
	at.Advance(-48 * time.Hour)
	if got := c.Open("c-1", "key:a", state); len(got.Turns) > 0 {
		t.Error("a state from tomorrow is good")
	}
}

func TestALongConversationFitsAndBeginsWithAQuestionThatStandsByItself(t *testing.T) {
	t.Parallel()
	c := conversing('k', clock.At(time.Unix(1_800_000_000, 0)))
	v := Conversation{ID: "c"}
	whole := "muffins"
	for i := range 40 {
		whole = fmt.Sprintf("muffins with %d eggs %s", i, strings.Repeat("ö ", 90))
		v.Add(Turn{Text: fmt.Sprintf("with %d eggs", i), Whole: whole,
			Attributes: map[string]jsontext.Value{"x": jsontext.Value(`"y"`)}})
	}
	if len(v.Turns) != MaxTurns || !strings.HasPrefix(v.Turns[0].Text, "muffins with ") || v.Turns[0].Whole != "" {
		t.Fatalf("%d turns, the first being %+v", len(v.Turns), v.Turns[0])
	}
	state := c.Seal(v, "")
	got := c.Open("c", "", state)
	if len(state) > MaxState || len(got.Turns) == 0 || !strings.HasPrefix(got.Turns[0].Text, "muffins with ") {
		t.Fatalf("a state of %d bytes has %d turns", len(state), len(got.Turns))
	}
	last := got.Turns[len(got.Turns)-1]
	if last.Text != "with 39 eggs" {
		t.Errorf("the last turn is %+v", last)
	}
}

func TestWhatIsTooLongOfAQuestionIsNotCarried(t *testing.T) {
	t.Parallel()
	v := Conversation{ID: "c"}
	v.Add(Turn{Text: strings.Repeat("süß ", 1000),
		Attributes: map[string]jsontext.Value{"a": jsontext.Value(`"` + strings.Repeat("x", 2000) + `"`)}})
	if got := v.Turns[0]; len(got.Text) > maxTurnText || !strings.HasSuffix(got.Text, "süß") || got.Attributes != nil {
		t.Errorf("kept are %d bytes ending in %q, and %d attributes", len(got.Text), got.Text[len(got.Text)-8:],
			len(got.Attributes))
	}
	c := conversing('k', clock.At(time.Unix(1_800_000_000, 0)))
	v.Turns = []Turn{{Text: "a", Attributes: map[string]jsontext.Value{"b": jsontext.Value("{")}}}
	if got := c.Open("c", "", c.Seal(v, "")); len(got.Turns) != 0 {
		t.Errorf("what is no JSON was carried: %+v", got)
	}
}

func FuzzOpen(f *testing.F) {
	c := conversing('k', clock.At(time.Unix(1_800_000_000, 0)))
	good := c.Seal(Conversation{ID: "c", Turns: []Turn{{Text: "soup"}}}, "p")
	f.Add("c", "p", good)
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, id, party, state string) {
		v := c.Open(id, party, state)
		if v.ID == "" || id != "" && v.ID != id {
			t.Fatalf("the conversation %q became %q", id, v.ID)
		}
		if len(v.Turns) > 0 && (id != "c" || party != "p" || state != good) {
			t.Fatalf("a state that was not sealed for %q, %q was opened: %q", id, party, state)
		}
		v.Add(Turn{Text: party, Whole: id})
		if sealed := c.Seal(v, party); len(sealed) > MaxState {
			t.Fatalf("a state of %d bytes", len(sealed))
		}
	})
}

func TestTheOrderOutlivesTheTurnThatWishedForIt(t *testing.T) {
	t.Parallel()
	var c Conversation
	c.Add(Turn{Text: "lamps"})
	c.Add(Turn{Text: "cheaper", Whole: "lamps", Sort: "price"})
	for i := range MaxTurns {
		c.Add(Turn{Text: fmt.Sprintf("over %d", i), Whole: fmt.Sprintf("lamps over %d", i), Sort: "price"})
	}
	first := c.Turns[0]
	if first.Text != "lamps over 0" || string(first.Attributes["sort"]) != `"price"` || first.Sort != "" {
		t.Errorf("the conversation begins with %q, sorted by %s", first.Text, first.Attributes["sort"])
	}
}
