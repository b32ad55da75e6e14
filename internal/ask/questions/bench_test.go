package questions

import (
	"fmt"
	"iter"
	"slices"
	"strconv"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// million is how many questions BenchmarkPageOfAMillion has, of 90 days: as many as are kept at
// most.
const million = maxForms

// fillMillion writes questions as they are kept, a few of which are asked often.
func fillMillion(b *testing.B, db *store.DB, today int64) {
	b.Helper()
	times := func(n int) int64 { return 1 + 20_000/int64(n+1) }
	bulk := func(table string, columns []string, rows iter.Seq[[]any]) {
		if err := db.Update(b.Context(), func(tx *store.Tx) error {
			_, err := tx.BulkInsert(b.Context(), table, columns, rows)
			return err
		}); err != nil {
			b.Fatal(err)
		}
	}
	bulk("question_form", []string{"id", "form", "text", "language", "state", "outcome", "score", "best_url",
		"best_name",
		"first", "last", "shown", "seen", "seen_at", "ignored", "who", "clicks", "week", "month", "times"},
		func(yield func([]any) bool) {
			for n := range million {
				ago, k := int64(n%90), times(n)
				last := store.Micros(startOf(today - ago))
				week, month := int64(0), int64(0)
				if ago < weekDays {
					week = k
				}
				if ago < monthDays {
					month = k
				}
				form := fmt.Sprintf("question number %d about the things that a site has", n)
				outcome := []Outcome{Answered, Answered, Nothing, Weak, AskedBack}[n%5]
				if !yield([]any{int64(idOf(form)), form, form, "en", stateOf(outcome, 1+int64(n%3), int64(n%7),
					false), int64(outcome),
					int64(700), "https://www.example.com/thing", "A thing", last, last, int64(n % 2), []byte{},
					int64(0), int64(0),
					1 + int64(n%3), int64(n % 7), week, month, k}) {
					return
				}
			}
		})
	bulk("question_day", []string{"question", "day", "protocol", "kind", "agent", "outcome", "count"},
		func(yield func([]any) bool) {
			for n := range million {
				form := fmt.Sprintf("question number %d about the things that a site has", n)
				if !yield([]any{int64(idOf(form)), today - int64(n%90), "ask", Person, "", int64(Answered), times(n)}) {
					return
				}
			}
		})
	bulk("question_word", []string{"word", "question"}, func(yield func([]any) bool) {
		ids := make([]int64, million)
		for n := range ids {
			ids[n] = int64(idOf(fmt.Sprintf("question number %d about the things that a site has", n)))
			if !yield([]any{strconv.Itoa(n), ids[n]}) {
				return
			}
		}
		slices.Sort(ids) // in the order of the table, which is written much sooner so
		for _, word := range wordsOf("question number about the things that a site has") {
			for _, id := range ids {
				if !yield([]any{word, id}) {
					return
				}
			}
		}
	})
	if err := db.Update(b.Context(), func(tx *store.Tx) error {
		return setState(b.Context(), tx, stateWords, wordsWritten, 0)
	}); err != nil {
		b.Fatal(err)
	}
	if err := db.Analyze(b.Context(), "question_form", "question_day", "question_word"); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkPageOfAMillion reads what the first page of questions shows, of a million that are kept.
func BenchmarkPageOfAMillion(b *testing.B) {
	db := storetest.OpenSQLite(b, Schema)
	now := time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)
	fillMillion(b, db, dayOf(now))
	s := NewStore(db, func() time.Time { return now })
	for name, f := range map[string]Filter{
		"all": {}, "found nothing": {View: ViewNothing}, "week of agents": {Range: LastWeek, Who: Agents},
		"90 days": {Range: Last90, View: ViewNoClick},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				all, _, err := s.List(b.Context(), f)
				if err != nil || len(all) != 50 {
					b.Fatal(len(all), err)
				}
				if _, err := s.Totals(b.Context(), now.AddDate(0, 0, -29), now); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	for name, search := range map[string]string{"rare": "number 777777 about", "frequent": "things"} {
		b.Run("search of words that are "+name, func(b *testing.B) {
			for b.Loop() {
				if _, _, err := s.List(b.Context(), Filter{Search: search}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
