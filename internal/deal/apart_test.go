package deal

import (
	"context"
	"reflect"
	"testing"
	"time"

	"frontdesk/internal/store"
	"frontdesk/internal/store/storetest"
)

// TestRequestsAreKeptWhenTheirTableChanges opens a database as it was before deal_request stood in the order of its key.
func TestRequestsAreKeptWhenTheirTableChanges(t *testing.T) {
	storetest.EachDSN(t, func(t *testing.T, fresh func(testing.TB) string) {
		was := Schema
		was.Steps = was.Steps[:3]
		dsn := fresh(t)
		before := storetest.Open(t, dsn, was)
		want := map[string]Request{}
		update(t, before, func(ctx context.Context, tx *store.Tx) error {
			for i, id := range []string{"a", "b", "c"} {
				r := Request{Digest: [32]byte{byte(i)}, Made: moment.Add(time.Duration(i) * time.Hour), Lines: []Line{{"o" + id, "t" + id, ""}}}
				want[id] = r
				if fresh, err := PutRequest(ctx, tx, "buyer.example/bot", id, r, moment); err != nil || !fresh {
					t.Fatal(fresh, err)
				}
			}
			return nil
		})
		if err := before.Close(); err != nil {
			t.Fatal(err)
		}
		db := storetest.Open(t, dsn, Schema)
		update(t, db, func(ctx context.Context, tx *store.Tx) error {
			for id, r := range want {
				got, known, err := FindRequest(ctx, tx, "buyer.example/bot", id, time.Time{})
				if err != nil || !known || !reflect.DeepEqual(got, r) {
					t.Errorf("%s: %+v, %t, %v", id, got, known, err)
				}
			}
			n, err := ForgetRequests(ctx, tx, moment.Add(time.Hour), 10)
			if n != 2 {
				t.Errorf("%d requests are forgotten, want 2", n)
			}
			return err
		})
	})
}
