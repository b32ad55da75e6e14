package app

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/infra/store/backup"
	"frontdesk/internal/ledger"
	"frontdesk/internal/operator/receipts"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/receipt"
)

// taken appends an entry for a party, and gives its id.
func taken(t *testing.T, s *App, party string) (id string) {
	t.Helper()
	err := s.db.Update(t.Context(), func(tx *store.Tx) (err error) {
		id, err = s.Ledger.Append(t.Context(), tx,
			receipt.Entry{Kind: "access", Party: party, Subject: "https://example.com/soup"})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// get asks for an address, with headers in pairs.
func get(s http.Handler, address string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("GET", address, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	return send(s, r)
}

// publishedKeys are the keys that the server tells of.
func publishedKeys(t *testing.T, s http.Handler) receipt.Keys {
	t.Helper()
	keys, err := receipt.ParseKeys(get(s, "/.well-known/jwks.json").Body.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

func TestReceiptsAreForThoseWhomTheyConcern(t *testing.T) {
	t.Parallel()
	s, log := open(t, "url: https://Example.com/desk")
	issue := func(scopes ...string) (text, party string) {
		text, made, err := s.Keys.Create(t.Context(), identity.Key{Name: "holder", Scopes: scopes})
		if err != nil {
			t.Fatal(err)
		}
		return text, "key:" + made.ID
	}
	holder, party := issue()
	owner, _ := issue("ledger")
	asker, _ := issue("ask")
	mine, other := taken(t, s, party), taken(t, s, "platform-7")
	for _, c := range []struct {
		key, id string
		status  int
	}{
		{holder, mine, 200}, {owner, mine, 200}, {owner, other, 200},
		{holder, other, 404}, {asker, other, 403}, {"", mine, 401}, {"fd_nonsense", mine, 401},
		{owner, "01930000-0000-7000-8000-000000000000", 404}, {owner, "soup", 404},
	} {
		var headers []string
		if c.key != "" {
			headers = []string{identity.KeyHeader, c.key}
		}
		w := get(s, "/ledger/receipt/"+c.id, headers...)
		if w.Code != c.status {
			t.Errorf("%.8s for %s: %d: %s", c.key, c.id, w.Code, w.Body)
		}
		if c.status != 200 {
			if strings.Contains(w.Body.String(), "platform-7") ||
				strings.Contains(w.Body.String(), "example.com/soup") {
				t.Errorf("a refusal tells of the entry: %s", w.Body)
			}
			continue
		}
		given, err := receipt.Parse(w.Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		checkpoint, err := receipt.Verify(given, publishedKeys(t, s))
		if err != nil || given.Entry.ID != c.id || checkpoint.Origin != "example.com/desk/ledger" {
			t.Errorf("%v: %s", err, w.Body)
		}
		if kept := w.Header().Get("Cache-Control"); !strings.Contains(kept, "private") {
			t.Errorf("shared caches may keep a receipt: %q", kept)
		}
	}
	if strings.Contains(log.String(), strings.TrimPrefix(holder, "fd_")) {
		t.Error("the log has a key")
	}
}

// TestAReceiptOfTheOwnersOwnIsShared has strangers open links to receipts: of an entry of the
// owner's own, and of a platform's, for which there is no link and no code that opens it.
func TestAReceiptOfTheOwnersOwnIsShared(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "auth: {required: [ask]}")
	own, other := taken(t, s, ""), taken(t, s, "platform:seven")
	share := func(id string) (string, error) {
		out, err := receipts.ShareReceipt{ID: id}.Do(t.Context(), s.Operator())
		return out.Path, err
	}
	link, err := share(own)
	if err != nil {
		t.Fatal(err)
	}
	w := get(s, link)
	given, err := receipt.Parse(w.Body.Bytes())
	if err != nil || w.Code != http.StatusOK || given.Entry.ID != own {
		t.Fatalf("%s: status %d, %v: %s", link, w.Code, err, w.Body)
	}
	if _, err := receipt.Verify(given, publishedKeys(t, s)); err != nil {
		t.Error(err)
	}
	if path, err := share(other); fail.From(err).Code != fail.Forbidden || path != "" {
		t.Errorf("a platform's receipt is shared: %q, %v", path, err)
	}
	_, code, _ := strings.Cut(link, "?")
	for address, what := range map[string]string{
		strings.Replace(link, own, other, 1):          "another entry under the code",
		"/ledger/receipt/" + own:                      "the entry without a code",
		"/ledger/receipt/" + own + "?share=":          "an empty code",
		"/ledger/receipt/" + own + "?" + code + "a":   "a longer code",
		"/ledger/receipt/" + other + "?share=&party=": "a platform's entry",
	} {
		if w := get(s, address); w.Code < 400 || strings.Contains(w.Body.String(), "soup") {
			t.Errorf("%s is opened: status %d: %s", what, w.Code, w.Body)
		}
	}
}

func TestTheLedgerIsProvedToEverybody(t *testing.T) {
	t.Parallel()
	s, _ := open(t, "")
	for range 300 {
		taken(t, s, "platform-7")
	}
	w := get(s, "/ledger/checkpoint")
	c, err := receipt.OpenCheckpoint(w.Body.String(), publishedKeys(t, s))
	if err != nil || c.Size != 300 || c.Origin != "local/ledger" ||
		w.Header().Get("Access-Control-Allow-Origin") != "*" {
		t.Fatalf("%v, %+v: %s", err, c, w.Body)
	}
	for path, size := range map[string]int{
		"0/000": 8192, "0/001.p/44": 44 * 32, "0/001.p/7": 7 * 32, "0/000.p/200": 200 * 32, "1/000.p/1": 32,
	} {
		w := get(s, "/ledger/tile/"+path)
		if w.Code != 200 || w.Body.Len() != size || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d, %d bytes, %v", path, w.Code, w.Body.Len(), w.Header())
		}
	}
	for _, path := range []string{"0/001", "0/001.p/45", "0/002", "1/000", "1/000.p/2", "2/000", "64/000", "0/1",
		"0/x000/001", "0/-01", "entries/000", "0/001.p/256", "0/001.p/044", ""} {
		if w := get(s, "/ledger/tile/"+path); w.Code != 404 {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
}

func TestALedgerWithoutItsKeyIsRefused(t *testing.T) {
	t.Parallel()
	database, keys, others := storetest.NewSQLite(t, tables...), t.TempDir(), filepath.Join(t.TempDir(), "other")
	begin := func(keys string) (*App, error) {
		loaded, err := Load(Layers{
			File:  write(t, t.TempDir(), "frontdesk.yaml", ""),
			Flags: map[string]string{"listen": "127.0.0.1:0", "metrics.listen": "off", "keys": keys, "store": database},
		})
		if err != nil {
			t.Fatal(err)
		}
		return Build(t.Context(), Options{Loaded: loaded})
	}
	first, err := begin(keys)
	if err != nil {
		t.Fatal(err)
	}
	id := taken(t, first, "platform-7")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if s, err := begin(others); err == nil {
		s.Close()
		t.Fatal("a server starts with another key than that of its ledger")
	} else if !strings.Contains(err.Error(), "local/ledger") || !strings.Contains(err.Error(), "backup") {
		t.Errorf("it says %v", err)
	}
	if files, _ := filepath.Glob(filepath.Join(others, "site-*")); len(files) > 0 {
		t.Errorf("a key was made all the same: %v", files)
	}
	if err := os.RemoveAll(others); err != nil {
		t.Fatal(err)
	}
	again, err := begin(keys)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if _, err := again.Ledger.Receipt(t.Context(), id); err != nil {
		t.Error(err)
	}
}

func TestReceiptsOutliveTheKeyThatSignedThem(t *testing.T) {
	t.Parallel()
	c := clock.At(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC))
	s, _ := open(t, "", func(o *Options) { o.Now = c.Now })
	old, err := s.Ledger.Receipt(t.Context(), taken(t, s, "platform-7"))
	if err != nil {
		t.Fatal(err)
	}
	before := publishedKeys(t, s)
	signatures := func(n int) string {
		t.Helper()
		taken(t, s, "platform-7")
		text := get(s, "/ledger/checkpoint").Body.String()
		if got := strings.Count(text, "\u2014 local/ledger "); got != n {
			t.Errorf("%d keys have signed instead of %d: %s", got, n, text)
		}
		return text
	}
	signatures(1)
	if _, err := s.SiteKeys.Rotate(time.Hour); err != nil {
		t.Fatal(err)
	}
	during := signatures(2)
	c.Advance(2 * time.Hour)
	after := signatures(1)
	now := publishedKeys(t, s)
	for name, text := range map[string]string{"before": old.Checkpoint, "during": during, "after": after} {
		if _, err := receipt.OpenCheckpoint(text, now); err != nil {
			t.Errorf("what was signed %s the change does not hold by the keys of now: %v", name, err)
		}
	}
	if _, err := receipt.OpenCheckpoint(during, before); err != nil {
		t.Errorf("who knows the old key alone cannot follow: %v", err)
	}
	if _, err := receipt.OpenCheckpoint(after, before); err == nil {
		t.Error("the old key still signs")
	}
	if _, err := receipt.Verify(old, now); err != nil {
		t.Error(err)
	}
}

// TestABackupKeepsTheLedger takes it from each engine to each, with entries that have no place yet.
// No server goes on with it before its owner has said how.
func TestABackupKeepsTheLedger(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		data, file := t.TempDir(), filepath.Join(t.TempDir(), "site.backup")
		load := func(t *testing.T, dsn, keys string) *Loaded {
			loaded, err := Load(Layers{
				File:  write(t, t.TempDir(), "frontdesk.yaml", ""),
				Flags: map[string]string{"listen": "127.0.0.1:0", "metrics.listen": "off", "keys": keys, "store": dsn},
			})
			if err != nil {
				t.Fatal(err)
			}
			return loaded
		}
		begin := func(t *testing.T, dsn, keys string) *App {
			s, err := Build(t.Context(), Options{Loaded: load(t, dsn, keys)})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { s.Close() })
			return s
		}
		from := begin(t, fresh(t), filepath.Join(data, "keys"))
		var ids []string
		for range 5 {
			ids = append(ids, taken(t, from, "platform-7"))
		}
		source := backup.Source{Store: from.config.Database(from.log), Data: data}
		if _, err := backup.Create(t.Context(), file, source, backup.Options{}); err != nil {
			t.Fatal(err)
		}
		storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
			source.Store.DSN, source.Data = fresh(t), t.TempDir()
			keys := filepath.Join(source.Data, "keys")
			if _, err := backup.Restore(t.Context(), file, source, false); err != nil {
				t.Fatal(err)
			}
			if s, err := Build(t.Context(), Options{Loaded: load(t, source.Store.DSN, keys)}); err == nil {
				s.Close()
				t.Error("a server goes on with a ledger that was put back")
			} else if !strings.Contains(err.Error(), "frontdesk ledger resume") {
				t.Errorf("it says %v", err)
			} else {
				records, err := Build(t.Context(),
					Options{Loaded: load(t, source.Store.DSN, keys), Log: from.log, Records: true, Secrets: true})
				if err == nil {
					_, err = records.Ledger.Resume(t.Context(), ledger.Resumption{Complete: true})
				}
				if err == nil {
					err = records.Close()
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			to := begin(t, source.Store.DSN, keys)
			ctx, stop := context.WithCancel(t.Context())
			var running sync.WaitGroup
			running.Go(func() { to.Ledger.Run(ctx) })
			defer running.Wait()
			defer stop()
			more := taken(t, to, "platform-7")
			const size = 7                                              // with the entry that tells of the restore
			for _, err := range to.Ledger.Follow(t.Context(), size-1) { // until the last has its place
				if err != nil {
					t.Fatal(err)
				}
				break
			}
			report, err := to.Ledger.Check(t.Context())
			if err != nil || len(report.Findings) > 0 || report.Entries != size {
				t.Errorf("%+v, %v", report, err)
			}
			for _, id := range append(ids, more) {
				r, err := to.Ledger.Receipt(t.Context(), id)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := receipt.Verify(r, publishedKeys(t, to)); err != nil {
					t.Error(err)
				}
			}
		})
	})
}
