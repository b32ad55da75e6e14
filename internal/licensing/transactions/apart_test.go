package transactions

import (
	"context"
	"reflect"
	"testing"
	"time"

	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
)

// TestRequestsAreKeptWhenTheirTableChanges opens databases as they were before deal_request stood
// in the order of its key, and by days.
func TestRequestsAreKeptWhenTheirTableChanges(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		for _, steps := range []int{3, 5} {
			requestsAreKept(t, fresh(t), steps)
		}
	})
}

// requestsAreKept opens a database with so many steps of the schema, and with all.
func requestsAreKept(t *testing.T, dsn string, steps int) {
	was := Schema
	was.Steps = was.Steps[:steps]
	before := storetest.Open(t, dsn, was)
	want := map[string]Request{}
	update(t, before, func(ctx context.Context, tx *store.Tx) error {
		for i, id := range []string{"a", "b", "c"} {
			r := Request{Digest: [32]byte{byte(i)}, Made: moment.Add(time.Duration(i) * 12 * time.Hour),
				Lines: []OrderLine{{"o" + id, "t" + id, ""}}}
			want[id] = r
			if _, err := tx.Exec(ctx, `INSERT INTO deal_request (id, digest, made, answer) VALUES ($1, $2, $3, $4)`,
				requestKey("buyer.example/bot", id), r.Digest[:], store.Micros(r.Made),
				"o"+id+" t"+id+" "); err != nil {
				return err
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
			got, known, err := FindRequest(ctx, tx, "buyer.example/bot", id, r.Made.Add(-24*time.Hour))
			if err != nil || !known || !reflect.DeepEqual(got, r) {
				t.Errorf("%s: %+v, %t, %v", id, got, known, err)
			}
			if fresh, err := PutRequest(ctx, tx, "buyer.example/bot", id, r, r.Made.Add(-time.Hour)); err != nil ||
				fresh {
				t.Errorf("%s is taken for new: %v", id, err)
			}
		}
		n, err := ForgetRequests(ctx, tx, moment.Add(24*time.Hour), 10)
		if n != 2 {
			t.Errorf("%d requests are forgotten, want those of a and b", n)
		}
		return err
	})
}
