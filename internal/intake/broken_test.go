package intake

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"frontdesk/internal/infra/outbox"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/testkit/storetest"
	wire "frontdesk/wire/intake"
)

// TestABrokenConnectionLosesAndDoublesNothing is what a loss of power is on PostgreSQL, which keeps
// what it has committed by itself: agents submit and bind, and some have it erased, while
// connections to the store and to the vault are broken off at any step and between them, also when
// nobody knows whether it was committed. Who hears nothing asks again; what was heard before stays
// so, and in the end there is one of everything.
func TestABrokenConnectionLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	b := storetest.NewBreaker(t)
	at := premises{b.DSN(), b.DSN(), t.TempDir()}
	k := openTaker(t, at)
	k.intake.Retention = wire.RetainSession
	const agents, each, tries = 4, 6, 100
	var steps atomic.Int64
	var late sync.WaitGroup
	k.fault = func(string) error {
		switch n := steps.Add(1); {
		case n%23 == 0: // while it stands at this step
			b.BreakAll()
		case n%23 == 11: // while it goes on
			late.Go(b.BreakAll)
		}
		return nil
	}
	failures := atomic.Int64{}
	// until does something until it is done.
	until := func(do func() error) bool {
		for range tries {
			err := do()
			if err == nil {
				return true
			}
			failures.Add(1)
			if t.Context().Err() != nil {
				break
			}
		}
		t.Errorf("it is not done after %d times", tries)
		return false
	}
	offers := make([]string, agents*each)
	var all sync.WaitGroup
	for agent := range agents {
		all.Go(func() {
			for i := range each {
				n := agent*each + i
				var first, again []byte
				submit := func() error {
					out, err := k.Submit(t.Context(), k.submission(n, `{"age":41}`))
					if err == nil && offers[n] != "" && out.Offer.ID != offers[n] {
						t.Errorf("session %d was told of offer %s, and of %s later", n, offers[n], out.Offer.ID)
					}
					if err == nil {
						offers[n] = out.Offer.ID
					}
					return err
				}
				bind := func() (err error) {
					again, err = k.Bind(t.Context(), k.binding(n, offers[n], person))
					return err
				}
				if !until(submit) {
					return
				}
				if !until(submit) || !until(bind) { // the same once more
					return
				}
				if first = again; !until(bind) || !bytes.Equal(first, again) {
					t.Errorf("the bind of session %d is answered with %s, and with %s later", n, first, again)
				}
				if n%6 == 5 && !until(func() error { _, err := k.Erase(t.Context(), offers[n], "key:1"); return err }) {
					return
				}
			}
		})
	}
	all.Wait()
	late.Wait()
	k.fault = nil
	if !until(func() error { return k.EraseDue(t.Context()) }) {
		return
	}
	if b.Broken() < 20 || failures.Load() == 0 {
		t.Errorf("%d connections were broken off, and %d answers failed: the test tests nothing", b.Broken(),
			failures.Load())
	}
	t.Logf("%d connections were broken off, %d answers failed", b.Broken(), failures.Load())
	k.auditBroken(t, offers)
}

// auditBroken holds that there is one record, one bind, one entry of each and one effect of each
// offer, and that all can be opened that nobody had erased.
func (k *taker) auditBroken(t *testing.T, offers []string) {
	t.Helper()
	told := map[string]int{}
	box := outbox.New(outbox.Options{DB: k.db, Sinks: []string{"crm"}, Now: k.clock.Now,
		Deliver: func(ctx context.Context, e outbox.Effect) error {
			return k.Deliver(ctx, e, func(_ context.Context, b BoundOffer) error {
				told[b.Offer.ID]++
				return nil
			})
		}})
	for some := true; some; {
		var err error
		if some, err = box.RunOne(t.Context(), "crm"); err != nil {
			t.Fatal(err)
		}
	}
	entries := map[string]int{}
	for _, kind := range []string{"intake", "bind", "erase"} {
		for _, entry := range k.ledgerEntries(t, kind) {
			entries[fmt.Sprint(kind, " ", entry["subject"])]++
		}
	}
	known := map[string]*Request{}
	all, err := k.Inbox(t.Context(), vault.Filter{Limit: 500})
	if err != nil || len(all) != len(offers) || k.rowsOf(t, "submission_bind") != len(offers) {
		t.Fatalf("there are %d records and %d binds of %d sessions: %v", len(all), k.rowsOf(t, "submission_bind"),
			len(offers), err)
	}
	for _, l := range all {
		q, err := k.Find(t.Context(), l.ID)
		if err != nil {
			t.Fatal(err)
		}
		known[q.Offer] = q
	}
	for n, offer := range offers {
		erased := n%6 == 5
		q, want := known[offer], map[bool]int{false: 1, true: 0}[erased]
		if q == nil || entries["intake "+offer] != 1 || entries["bind "+offer] != 1 || told[offer] != want ||
			entries["erase "+offer] != 1-want {
			t.Errorf("of offer %s there are %d and %d entries, it was told %d times, and erased %d times (%t)",
				offer, entries["intake "+offer], entries["bind "+offer], told[offer], entries["erase "+offer], erased)
			continue
		}
		if readable := q.OpenedAnswer != nil; readable == erased || erased != (q.StateNow == vault.Erased) {
			t.Errorf("of offer %s can be read: %t, it is %s, and somebody had it erased: %t", offer, readable,
				q.StateNow, erased)
		}
	}
	if report, err := k.taking.Ledger.Check(t.Context()); err != nil || len(report.Findings) > 0 {
		t.Errorf("the ledger: %v, %v", report, err)
	}
}
