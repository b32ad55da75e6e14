package overrides

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

const closing = "terms:\n  - match: {}\n    access: blocked\n"

// TestEditionsAreKept publishes terms, puts back those of the file, and reads both from another
// store.
func TestEditionsAreKept(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db, now, ctx := open(t, Schema), noon, t.Context()
		k := New(db, nil, func() time.Time { return now })
		var told []int64
		var refuse error
		k.OnChange(func(_ context.Context, _ *store.Tx, c Change) error {
			told = append(told, c.Edition.Number)
			return refuse
		})
		file := Edition{Source: FromFile, Document: "terms: []", Version: "f1", FileVersion: "f1"}
		closed := Edition{Source: Published, Document: closing, Version: "c", By: "key:a"}
		base := int64(0)
		first, err := k.Publish(ctx, closed, file, &base)
		if err != nil || first.Number != 2 || first.FileVersion != "f1" || !first.Made.Equal(noon) {
			t.Fatalf("%+v, %v", first, err)
		}
		_, err = k.Publish(ctx, closed, file, &base)
		if fail.From(err).Code != fail.Invalid ||
			!strings.Contains(err.Error(), "version 2 of the terms was published meanwhile by key:a") {
			t.Errorf("by an old base: %v", err)
		}
		refuse = errors.New("no")
		if _, err := k.Publish(ctx, closed, file, nil); !errors.Is(err, refuse) {
			t.Errorf("refused by the ledger: %v", err)
		}
		refuse = nil
		now = noon.Add(time.Hour)
		if _, err := k.Publish(ctx, file, file, nil); err != nil {
			t.Fatal(err)
		}
		if _, err := k.Publish(ctx, closed, file, nil); err != nil { // that of the file is there already
			t.Fatal(err)
		}
		changed := file
		changed.Version = "f2"
		if _, err := k.Publish(ctx, changed, changed, nil); err != nil {
			t.Fatal(err)
		}

		other := New(db, nil, time.Now)
		all, err := other.Editions(ctx, 10)
		var got []string
		for _, e := range all {
			got = append(got, e.Source+" "+e.By)
		}
		const want = "file , published key:a, file , published key:a, file file"
		if said := strings.Join(got, ", "); err != nil || said != want {
			t.Errorf("%q, want %q, %v", said, want, err)
		}
		set, err := other.Read(ctx)
		_, published := set.InForce()
		if err != nil || published || set.Latest.Number != 5 || !set.Latest.Made.Equal(now) {
			t.Errorf("%+v, %v", set.Latest, err)
		}
		second, err := other.Edition(ctx, 2)
		rules, wrong := second.Rules()
		if err != nil || wrong != nil || len(rules) != 1 || rules[0].Access != policy.Blocked || rules[0].Line != 2 {
			t.Errorf("%+v, %v, %v", rules, err, wrong)
		}
		if _, err := other.Edition(ctx, 6); fail.From(err).Code != fail.NotFound {
			t.Errorf("none: %v", err)
		}
		if len(told) != 5 || told[0] != 2 || told[4] != 5 {
			t.Errorf("told of %v", told)
		}
	})
}
