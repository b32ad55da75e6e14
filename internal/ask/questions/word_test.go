package questions

import (
	"fmt"
	"slices"
	"testing"

	"frontdesk/internal/infra/store"
)

// TestWordsFindQuestions searches before the words of what was kept are written, and after; both
// find the same.
func TestWordsFindQuestions(t *testing.T) {
	each(t, func(t *testing.T, x *kit) {
		db := x.s.db
		for _, text := range []string{
			"Vacuum flask for tea", "a flask of steel", "flasks", "hip-flask", "overflask", "保温ボトルはありますか",
			"café au lait",
		} {
			x.ask(text, "a")
			x.ask(text, "b")
		}
		x.ask("secret flask", "a") // not shown
		x.flush()
		if err := db.Update(t.Context(), func(tx *store.Tx) error { // as before there was a table of words
			_, err := tx.Exec(t.Context(), `DELETE FROM question_word`)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		searches := map[string]int{
			"flask": 4, "tea vacuum": 1, "FLA ste": 1, "lask": 0, "ボトル": 1, "cafe": 1, "secret": 0, "nothing": 0,
			"": 7 + 1,
		}
		var before []string
		for _, written := range []bool{false, true} {
			var found []string
			for _, search := range slices.Sorted(func(yield func(string) bool) {
				for search := range searches {
					if !yield(search) {
						return
					}
				}
			}) {
				got := x.texts(Filter{Search: search})
				if len(got) != searches[search] {
					t.Errorf("written %v, %q: %q", written, search, got)
				}
				found = append(found, fmt.Sprint(got))
			}
			if written && !slices.Equal(before, found) {
				t.Errorf("%q, and %q before the words were written", found, before)
			}
			before = found
			if err := x.k.Sweep(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		x.ask("a new flask", "a")
		x.ask("a new flask", "b")
		x.want(Filter{Search: "new fl"}, "a new flask 2")
		if err := x.s.Forget(t.Context(), x.list(Filter{Search: "steel"})[0].ID); err != nil {
			t.Fatal(err)
		}
		n := 0
		if err := db.View(t.Context(), func(tx *store.Tx) error {
			return tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM question_word WHERE word = 'steel'`).Scan(&n)
		}); err != nil || n > 0 {
			t.Errorf("%d words of a question that was removed, %v", n, err)
		}
	})
}
