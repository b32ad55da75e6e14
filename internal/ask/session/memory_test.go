package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
)

// remembering returns a memory of the database for an hour, five turns of each and twenty of all.
func remembering(t testing.TB, db *store.DB, secret string, at *clock.Clock) *Memory {
	t.Helper()
	m, err := NewMemory(db,
		MemoryOptions{Secret: []byte(strings.Repeat(secret, 32)), For: time.Hour, Turns: 5, All: 20, Now: at.Now})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func (m *Memory) mustKeep(t testing.TB, w Whose, turns ...Turn) {
	t.Helper()
	for _, turn := range turns {
		if err := m.Keep(context.Background(), w, turn); err != nil {
			t.Fatal(err)
		}
	}
}

// texts are what is recalled, in words.
func (m *Memory) texts(t testing.TB, w Whose) (all []string) {
	t.Helper()
	turns, about, err := m.Recall(context.Background(), w)
	if err != nil {
		t.Fatal(err)
	}
	for _, turn := range turns {
		all = append(all, turn.Text)
	}
	for _, said := range about {
		all = append(all, "about: "+said)
	}
	return all
}

func start() *clock.Clock { return clock.At(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)) }

func TestOnlyWhoKeptATurnRecallsIt(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		m := remembering(t, open(t, Schema), "k", start())
		jane := Whose{Party: "key:a", Person: "jane", Conversation: "c-1"}
		m.mustKeep(t, jane, Turn{Text: "muffins", About: []string{"vegetarian"}},
			Turn{Text: "high protein ones", Whole: "high protein muffins"})
		stranger := Whose{Secret: "s-1", Conversation: "c-1"}
		m.mustKeep(t, stranger, Turn{Text: "lamps"})
		if diff := cmp.Diff([]string{"muffins", "high protein ones", "about: vegetarian"},
			m.texts(t, jane)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]string{"lamps"}, m.texts(t, stranger)); diff != "" {
			t.Error(diff)
		}
		for name, w := range map[string]Whose{
			"another party":                      {Party: "key:b", Person: "jane", Conversation: "c-1"},
			"another person":                     {Party: "key:a", Person: "joan", Conversation: "c-1"},
			"no person":                          {Party: "key:a", Conversation: "c-1"},
			"a stranger who knows the id":        {Conversation: "c-1"},
			"a stranger with another's secret":   {Secret: "s-2", Conversation: "c-1"},
			"a stranger with a party as secret":  {Secret: "key:a", Person: "jane", Conversation: "c-1"},
			"a party with a secret for its name": {Party: "s-1", Conversation: "c-1"},
		} {
			if got := m.texts(t, w); len(got) > 0 {
				t.Errorf("%s recalls %q", name, got)
			}
		}
		other := jane
		other.Conversation = "c-2"
		if diff := cmp.Diff([]string{"about: vegetarian"}, m.texts(t, other)); diff != "" {
			t.Errorf("in another conversation: %s", diff)
		}
	})
}

func TestTurnsAreForgottenAsTheOwnerSays(t *testing.T) {
	t.Parallel()
	at := start()
	db := storetest.Chosen(t, Schema)
	m := remembering(t, db, "k", at)
	w := Whose{Party: "key:a", Conversation: "c"}
	for i := range 7 {
		m.mustKeep(t, w, Turn{Text: fmt.Sprint(i)})
		at.Advance(time.Minute)
	}
	if diff := cmp.Diff([]string{"2", "3", "4", "5", "6"}, m.texts(t, w)); diff != "" {
		t.Error(diff)
	}
	at.Advance(56 * time.Minute)
	if diff := cmp.Diff([]string{"4", "5", "6"}, m.texts(t, w)); diff != "" {
		t.Errorf("after an hour: %s", diff)
	}
	m.Sweep(t.Context())
	if n := rows(t, db); n != 3 {
		t.Errorf("%d turns are in the table after the sweep, want 3", n)
	}
}

func TestAConversationIsForgottenAtAWordAndNoOther(t *testing.T) {
	t.Parallel()
	m := remembering(t, storetest.Chosen(t, Schema), "k", start())
	for _, w := range []Whose{
		{Party: "key:a", Conversation: "c-1"}, {Party: "key:a", Person: "jane", Conversation: "c-1"},
		{Party: "key:a", Conversation: "c-2"}, {Party: "key:b", Conversation: "c-1"},
		{Secret: "s", Conversation: "c-1"},
	} {
		m.mustKeep(t, w, Turn{Text: "soup", About: []string{"vegan"}})
	}
	for range 2 { // the second time there is nothing left
		if err := m.Forget(t.Context(), Whose{Party: "key:a", Conversation: "c-1"}); err != nil {
			t.Fatal(err)
		}
	}
	for w, want := range map[Whose]int{
		{Party: "key:a", Conversation: "c-1"}:                 1, // what was told of it in c-2
		{Party: "key:a", Person: "jane", Conversation: "c-1"}: 0, {Party: "key:a", Conversation: "c-2"}: 2,
		{Party: "key:b", Conversation: "c-1"}: 2, {Secret: "s", Conversation: "c-1"}: 2,
	} {
		if got := m.texts(t, w); len(got) != want {
			t.Errorf("%+v recalls %q", w, got)
		}
	}
}

func TestStrangersCannotFillTheMemoryOrDriveOthersOut(t *testing.T) {
	t.Parallel()
	at := start()
	db := storetest.Chosen(t, Schema)
	m := remembering(t, db, "k", at)
	w := Whose{Party: "key:a", Conversation: "c"}
	m.mustKeep(t, w, Turn{Text: "mine"})
	for i := range 60 {
		at.Advance(time.Second)
		m.mustKeep(t, Whose{Secret: fmt.Sprint(i), Conversation: "x"}, Turn{Text: "many"})
	}
	if n := rows(t, db); n > 22 {
		t.Errorf("%d turns are kept, and 20 may be, give or take a tenth", n)
	}
	if got := m.texts(t, w); len(got) != 1 {
		t.Error("a party's turn was driven out by strangers")
	}
}

func TestTheTableTellsNothing(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, Schema)
	m := remembering(t, db, "k", start())
	w := Whose{Party: "key:abc", Person: "jane@example.org", Conversation: "talk-77"}
	m.mustKeep(t, w, Turn{Text: "a present for my wife", About: []string{"diabetic"}})
	err := db.View(t.Context(), func(tx *store.Tx) error {
		var party, person, talk, body []byte
		if err := tx.QueryRow(t.Context(), `SELECT party, person, conversation, body FROM session_turn`).Scan(&party, &person, &talk, &body); err != nil {
			return err
		}
		for _, word := range []string{"abc", "jane", "talk-77", "present", "diabetic"} {
			if strings.Contains(fmt.Sprintf("%s %s %s %s", party, person, talk, body), word) {
				t.Errorf("the table has %q", word)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := remembering(t, db, "x", start()).texts(t, w); len(got) > 0 {
		t.Errorf("another secret opens it: %q", got)
	}
}

func rows(t testing.TB, db *store.DB) (n int) {
	t.Helper()
	err := db.View(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM session_turn`).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
