package vault

import (
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// TestListsReadNoSealedRows holds that lists and counts find what they show in indexes, and sort
// nothing: a million submissions are a gigabyte of what is sealed.
func TestListsReadNoSealedRows(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, storetest.NewSQLite(t), Schema)
	now := time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)
	plan := func(query string, args ...any) (text string) {
		t.Helper()
		if err := db.View(t.Context(), func(tx *store.Tx) error {
			rows, err := tx.Query(t.Context(), "EXPLAIN QUERY PLAN "+query, args...)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id, parent, unused int
				var step string
				if err := rows.Scan(&id, &parent, &unused, &step); err != nil {
					return err
				}
				text += step + "\n"
			}
			return rows.Err()
		}); err != nil {
			t.Fatal(err)
		}
		return text
	}
	lists := func(f Filter) string {
		q := f.conditions(now)
		return plan(q.first(50), q.args...)
	}
	for name, c := range map[string]struct{ plan, want string }{
		"all": {lists(Filter{}), "COVERING INDEX"},
		"bound": {lists(Filter{State: Bound, Intake: "a", Platform: "b", Since: now,
			Until: now.Add(time.Hour), Before: "x"}), "COVERING INDEX submission_record_list"},
		"offered":          {lists(Filter{State: Offered}), "COVERING INDEX submission_record_list"},
		"expired":          {lists(Filter{State: Expired}), "COVERING INDEX submission_record_list"},
		"a platform's":     {lists(Filter{Platform: "b"}), "COVERING INDEX submission_record_list"},
		"waiting":          {lists(Filter{State: Waiting}), "COVERING INDEX submission_record_waiting"},
		"an agent's":       {lists(Filter{Find: "a"}), "INDEX submission_record_agent"},
		"to be answered":   {plan(countOpen, 5, 99), "COVERING INDEX submission_record_waiting"},
		"binds to be done": {plan(countOpen, 5, 99), "b USING INDEX submission_bind_open"},
		"by day":           {plan(countDays, 5, 5), "COVERING INDEX submission_record_day"},
	} {
		if !strings.Contains(c.plan, c.want) || name != "an agent's" && strings.Contains(c.plan, "B-TREE") {
			t.Errorf("%s: it is found by\n%s", name, c.plan)
		}
	}
}
