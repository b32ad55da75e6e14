package accesslog

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"frontdesk/internal/content"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/licensing/transactions"
	"frontdesk/internal/policy"
	"frontdesk/internal/testkit/storetest"
)

// stand is a database in which some transactions stand.
type stand struct {
	*testing.T
	db   *store.DB
	keep *Importer
}

func each(t *testing.T, suite func(s stand)) {
	storetest.Each(t, func(t *testing.T, open func(t *testing.T, schemas ...store.Schema) *store.DB) {
		db := open(t, transactions.Schema, Schema)
		s := stand{t, db, &Importer{DB: db, SiteOf: func(host string) string {
			if host == "cdn.example.net" {
				return "news"
			}
			return ""
		}}}
		s.sell("txn-1", "news")
		s.sell("txn-2", "cooking")
		s.sell("txn-undone", "news")
		s.update(func(tx *store.Tx) error { return transactions.MarkFailed(t.Context(), tx, "txn-undone") })
		suite(s)
	})
}

func (s stand) update(fn func(*store.Tx) error) {
	s.Helper()
	if err := s.db.Update(s.Context(), fn); err != nil {
		s.Fatal(err)
	}
}

func (s stand) sell(id, site string) {
	s.Helper()
	s.update(func(tx *store.Tx) error {
		return transactions.PutTransaction(s.Context(), tx, transactions.Transaction{
			ID: id, Billing: "bill-" + id, Buyer: "buyer.example/bot", Agent: "ab12", Site: site,
			URI:  "https://" + site + ".example/a",
			Item: content.Ref{Site: site, Source: "pages", ID: "i", Since: 7}, Made: second.Add(-time.Minute),
			Expires: second.Add(4 * time.Minute), Price: policy.Money{Currency: "USD"}, Document: []byte("{}"),
		})
	})
}

// log writes lines as our own form has them.
func log(all ...string) string { return strings.Join(all, "\n") + "\n" }

// told is a line of a GET.
func told(transaction string, status int, more string) string {
	return fmt.Sprintf(`{"time":"2027-01-31T12:30:05Z","method":"GET","host":"cdn.example.net","url":"/a?agent_id=ab12&txn_id=%s&sig=5ec2e7","status":%d,"bytes":4711%s}`, transaction, status, more)
}

func (s stand) importing(text string, l Source) ImportResult {
	s.Helper()
	got, err := s.keep.Import(s.Context(), strings.NewReader(text), l)
	if err != nil {
		s.Fatal(err)
	}
	return got
}

func (s stand) wants(got, want ImportResult) {
	s.Helper()
	if !reflect.DeepEqual(got, want) {
		s.Errorf("\n%+v\n%+v", got, want)
	}
}

func TestALogIsKeptByTransaction(t *testing.T) {
	t.Parallel()
	each(t, func(s stand) {
		text := log(
			told("txn-1", 200, `,"cache":"hit"`), told("txn-2", 403, ""), told("txn-1", 200, `,"cache":"hit"`), "",
			told("txn-nobodys", 200, ""), told("txn-nobodys", 404, ""), told("txn-undone", 206, ""),
			strings.ReplaceAll(told("txn-1", 200, ""), `"GET"`, `"HEAD"`), `{"time":"2027-01-31T12:30:05Z","url":"/free","status":200}`, "nonsense", `{"time":"2027-01-31T12:30:05Z"}`,
		)
		want := ImportResult{
			Form: Frontdesk, Lines: 10, Added: 4, Duplicates: 1, Stray: 2, Unlicensed: 1, Other: 1, Refused: 1,
			Unreadable: 2,
			Faults:     []Fault{{10, errJSON.Error()}, {11, errStatus.Error()}},
		}
		s.wants(s.importing(text, Source{}), want)
		want.Added, want.Duplicates, want.Stray = 0, 5, 0
		s.wants(s.importing(text, Source{Form: Frontdesk}), want)
		var packed bytes.Buffer
		for part := range strings.SplitAfterSeq(text, "\n") { // many packed one behind the other are a packed file, too
			w := gzip.NewWriter(&packed)
			io.WriteString(w, part)
			w.Close()
		}
		s.wants(s.importing(packed.String(), Source{By: "cdn-1"}), want)

		all, err := NewReader(s.db).OfTransaction(s.Context(), "txn-1")
		if want := []Answer{{Kind: Logged, By: "frontdesk", At: second, Status: 200, Bytes: 4711, Cache: "hit",
			Place: "cdn.example.net/a"}}; err != nil || !reflect.DeepEqual(all, want) {
			s.Errorf("%+v, %v", all, err)
		}
		if all[0].Delivered() == all[0].Refused() {
			s.Error("what was delivered was refused")
		}
		fetched, err := NewReader(s.db).Fetched(s.Context(), "txn-1", "txn-2", "txn-3")
		if err != nil || !reflect.DeepEqual(fetched, map[string]bool{"txn-1": true}) {
			s.Errorf("%v, %v", fetched, err)
		}
	})
}

func TestSitesAreApart(t *testing.T) {
	t.Parallel()
	each(t, func(s stand) {
		text := log(told("txn-1", 200, ""), told("txn-2", 200, ""), told("txn-nobodys", 200, ""),
			strings.ReplaceAll(told("txn-other", 200, ""), "cdn.example.net", "elsewhere.example"))
		s.wants(s.importing(text, Source{Site: "news"}),
			ImportResult{Form: Frontdesk, Lines: 4, Added: 2, Stray: 1, Elsewhere: 2})
		s.wants(s.importing(text, Source{Site: "cooking"}),
			ImportResult{Form: Frontdesk, Lines: 4, Added: 1, Elsewhere: 3})
		if all, err := NewReader(s.db).OfTransaction(s.Context(), "txn-2"); err != nil || len(all) != 1 {
			s.Errorf("%v, %v", all, err)
		}
	})
}

func TestWhatWasSignedIsNotKept(t *testing.T) {
	t.Parallel()
	each(t, func(s stand) {
		s.importing(log(told("txn-1", 200, ""), told("txn-nobodys", 200, "")), Source{})
		if s.db.Engine() != store.SQLite {
			return
		}
		var all []string
		if err := s.db.View(s.Context(), func(tx *store.Tx) error {
			rows, err := tx.Query(s.Context(), `SELECT txn || ' ' || site || ' ' || source || ' ' || place || ' ' || cache FROM evidence_line`)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var text string
				if err := rows.Scan(&text); err != nil {
					return err
				}
				all = append(all, text)
			}
			return rows.Err()
		}); err != nil {
			s.Fatal(err)
		}
		text := strings.Join(all, "\n")
		if len(all) != 2 || !strings.Contains(text, "cdn.example.net/a") {
			s.Fatalf("what is kept: %q", text)
		}
		for _, secret := range []string{"5ec2e7", "ab12", "?", "sig"} {
			if strings.Contains(text, secret) {
				s.Errorf("%q is kept: %q", secret, text)
			}
		}
	})
}

// TestABrokenImportGoesOn has every write of an import fail once, before and after it: what was
// kept is kept, and the next import of the whole keeps the rest.
func TestABrokenImportGoesOn(t *testing.T) {
	t.Parallel()
	each(t, func(s stand) {
		const n = 3*atOnce + 7
		var all []string
		for i := range n {
			all = append(all, told("txn-1", 200, fmt.Sprintf(`,"length":%d`, i)))
		}
		text := log(all...)
		broken := io.MultiReader(strings.NewReader(text[:len(text)*2/3]),
			iotest.ErrReader(errors.New("the disk is gone")))
		got, err := s.keep.Import(s.Context(), broken, Source{})
		if err == nil || !strings.Contains(err.Error(), "the disk is gone") || got.Added < 2*atOnce ||
			got.Unreadable > 0 {
			s.Fatalf("%+v, %v", got, err)
		}
		ctx, stop := context.WithCancel(s.Context())
		stopped, err := s.keep.Import(ctx, strings.NewReader(text), Source{Progress: func(ImportResult) { stop() }})
		if !errors.Is(err, context.Canceled) {
			s.Fatalf("%+v, %v", stopped, err)
		}
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		io.WriteString(w, text)
		w.Close()
		cut, err := s.keep.Import(s.Context(), bytes.NewReader(packed.Bytes()[:packed.Len()/2]), Source{})
		if fail.From(err).Code != fail.Invalid || cut.Lines == 0 || cut.Unreadable > 0 {
			s.Fatalf("%+v, %v", cut, err)
		}
		before := got.Added + cut.Added
		s.wants(s.importing(text, Source{}),
			ImportResult{Form: Frontdesk, Lines: n, Added: n - before, Duplicates: before})
	})
}

func TestWhatIsNoLogIsGivenUp(t *testing.T) {
	t.Parallel()
	each(t, func(s stand) {
		for _, c := range []struct {
			name, text string
			log        Source
			code       fail.Code
			lines      int64
		}{
			{"another form", strings.Repeat("hello\n", 10*maxBad), Source{Form: Fastly}, fail.Invalid, maxBad},
			{"no form", log("hello"), Source{Form: "excel"}, fail.Invalid, 0},
			{"a long name", log("hello"), Source{By: strings.Repeat("a", maxName+1)}, fail.Invalid, 0},
			{"more than is allowed", strings.Repeat(told("txn-1", 200, "")+"\n", 10), Source{MaxText: 500},
				fail.TooLarge, 3},
			{"a head of gzip", "\x1f\x8bnothing", Source{}, fail.Invalid, 0},
		} {
			got, err := s.keep.Import(s.Context(), strings.NewReader(c.text), c.log)
			if err == nil || fail.From(err).Code != c.code || got.Lines != c.lines {
				s.Errorf("%s: %+v, %v", c.name, got, err)
			}
		}
		long := log(strings.Repeat("x", maxLine+1), told("txn-1", 200, ""), strings.Repeat("x", 3*maxLine))
		s.wants(s.importing(long, Source{Form: Frontdesk}), ImportResult{
			Form: Frontdesk, Lines: 3, Added: 0, Duplicates: 1, Unreadable: 2,
			Faults: []Fault{{1, "it has more than 65536 bytes"}, {3, "it has more than 65536 bytes"}},
		})
		s.wants(s.importing("", Source{}), ImportResult{Form: Auto})
		s.wants(s.importing(strings.TrimSpace(log(told("txn-1", 200, ""))), Source{}),
			ImportResult{Form: Frontdesk, Lines: 1, Duplicates: 1})
	})
}

func TestOwnRecordsStandBesideLogs(t *testing.T) {
	t.Parallel()
	each(t, func(s stand) {
		sum := []byte("12345678901234567890123456789012")
		s.update(func(tx *store.Tx) error {
			for _, d := range []transactions.Delivery{
				{ID: "dlv-1", Transaction: "txn-1", Site: "news", State: transactions.DeliveryCut, Status: 200,
					Announced: 9, Bytes: 7, Sum: sum, Whole: true, At: second.Add(time.Second)},
				{ID: "edge-1_x", Transaction: "txn-1", By: "edge-1", Site: "news", State: transactions.DeliveryEnded,
					Status: 206, Bytes: 9, Sum: sum, At: second.Add(-time.Second)},
				{ID: "dlv-2", Transaction: "txn-2", Site: "cooking", State: transactions.DeliveryBegun, Status: 200,
					At: second},
			} {
				if _, err := transactions.PutDelivery(s.Context(), tx, d); err != nil {
					return err
				}
			}
			return nil
		})
		s.importing(log(told("txn-1", 503, "")), Source{By: "cdn-1"})
		all, err := NewReader(s.db).OfTransaction(s.Context(), "txn-1")
		if want := []Answer{
			{Kind: Edge, By: "edge-1", At: second.Add(-time.Second), Status: 206, Bytes: 9, Sum: sum},
			{Kind: Logged, By: "cdn-1", At: second, Status: 503, Bytes: 4711, Place: "cdn.example.net/a"},
			{Kind: Own, At: second.Add(time.Second), Status: 200, Bytes: 7, Cut: true, Sum: sum},
		}; err != nil || !reflect.DeepEqual(all, want) {
			s.Errorf("\n%+v\n%+v, %v", all, want, err)
		}
	})
}

func TestStraysAreGivenInOrderAndPages(t *testing.T) {
	t.Parallel()
	each(t, func(s stand) {
		var all []string
		for i := range 2*strayPage + 30 {
			line := told(fmt.Sprintf("txn-of-nobody-%d", i%7), 200, fmt.Sprintf(`,"length":%d`, i))
			if i%2 == 0 {
				line = strings.ReplaceAll(line, "12:30:05", "12:30:06")
			}
			all = append(all, line)
		}
		s.importing(log(all...), Source{})
		ids, last, n := map[string]bool{}, time.Time{}, 0
		for d, err := range NewReader(s.db).Strays(s.Context(), "news", second, second.Add(time.Minute)) {
			if err != nil || d.At.Before(last) || !d.Stray || d.By != "frontdesk" || d.URI != "cdn.example.net/a" {
				s.Fatalf("%+v, %v", d, err)
			}
			ids[d.ID], last, n = true, d.At, n+1
		}
		if n != len(all) || len(ids) != n {
			s.Errorf("%d strays of %d, %d different", n, len(all), len(ids))
		}
		again, place, pages := map[string]bool{}, "", 0
		for last = second.Add(time.Minute); pages == 0 || place != ""; pages++ {
			page, next, err := NewReader(s.db).StraysBefore(s.Context(), second, second.Add(time.Minute), place)
			if err != nil || pages > 3 {
				s.Fatal(pages, err)
			}
			for _, d := range page {
				if again[d.ID] || !ids[d.ID] || d.At.After(last) {
					s.Fatalf("%+v", d)
				}
				again[d.ID], last = true, d.At
			}
			place = next
		}
		if len(again) != n || pages != 3 {
			s.Errorf("%d strays of %d backwards, in %d pages", len(again), n, pages)
		}
		for _, place := range []string{"x", "1", "1.2", ".", "9999999999999999999999.a.b"} {
			if _, _, err := NewReader(s.db).StraysBefore(s.Context(), time.Time{}, time.Time{}, place); err != nil {
				s.Errorf("%s: %v", place, err)
			}
		}
		if page, _, err := NewReader(s.db).StraysBefore(s.Context(), time.Time{}, second.Add(time.Second), ""); err !=
			nil || len(page) != strayPage || page[0].At.After(second) {
			s.Errorf("%d, %v", len(page), err)
		}
		for range NewReader(s.db).Strays(s.Context(), "cooking", time.Time{}, time.Time{}) {
			s.Error("it is of another site")
		}
		var forgotten int64
		s.update(func(tx *store.Tx) (err error) {
			forgotten, err = Forget(s.Context(), tx, second.Add(time.Second), 10_000)
			return err
		})
		if forgotten != int64(len(all)/2) {
			s.Errorf("%d lines are forgotten", forgotten)
		}
	})
}
