package vault_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/intake/vault"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
)

var noon = time.Date(2027, 5, 4, 12, 0, 0, 0, time.UTC)

func secret(fill byte) []byte { return bytes.Repeat([]byte{fill}, 32) }

func openVault(t testing.TB, dsn string, now func() time.Time) *vault.Vault {
	t.Helper()
	v, err := vault.Open(t.Context(), vault.Options{DSN: dsn, Secret: secret(1), Now: now})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.Close() })
	return v
}

func take(t testing.TB, v *vault.Vault) vault.Key {
	t.Helper()
	k, err := v.NewKey(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestAKeyOpensWhatItSealedAndNothingElse(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		v := openVault(t, fresh(t), nil)
		a, b := take(t, v), take(t, v)
		sealed, err := a.Seal("data", []byte("a datum"))
		if err != nil || bytes.Contains(sealed, []byte("datum")) {
			t.Fatalf("%q: %v", sealed, err)
		}
		again, err := v.Key(t.Context(), a.ID)
		if err != nil {
			t.Fatal(err)
		}
		if plain, err := again.Open("data", sealed); err != nil || string(plain) != "a datum" {
			t.Errorf("%q: %v", plain, err)
		}
		bent := bytes.Clone(sealed)
		bent[len(bent)-1] ^= 1
		for name, open := range map[string]func() ([]byte, error){
			"another purpose": func() ([]byte, error) { return a.Open("answer", sealed) },
			"another key":     func() ([]byte, error) { return b.Open("data", sealed) },
			"a changed text":  func() ([]byte, error) { return a.Open("data", bent) },
			"half a text":     func() ([]byte, error) { return a.Open("data", sealed[:5]) },
		} {
			if plain, err := open(); err == nil {
				t.Errorf("%s opens %q", name, plain)
			}
		}
		hash := a.Hash("data", []byte("a datum"))
		if !bytes.Equal(hash, again.Hash("data", []byte("a datum"))) ||
			bytes.Equal(hash, b.Hash("data", []byte("a datum"))) ||
			bytes.Equal(hash, a.Hash("answer", []byte("a datum"))) {
			t.Error("hashes are not those of a key and a purpose")
		}
		if err := v.Destroy(t.Context(), a.ID, "", "none"); err != nil {
			t.Fatal(err)
		}
		if _, err := v.Key(t.Context(), a.ID); !errors.Is(err, vault.ErrErased) {
			t.Errorf("after it is destroyed: %v", err)
		}
		if keys, err := v.Keys(t.Context(), a.ID, b.ID, ""); err != nil || len(keys) != 1 || keys[b.ID] != b {
			t.Errorf("%d keys: %v", len(keys), err)
		}
	})
}

func TestEveryKeyIsDurableAndAnother(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		v := openVault(t, dsn, nil)
		other := openVault(t, dsn, nil)
		keys := make([]map[string]vault.Key, 8)
		var all sync.WaitGroup
		for i := range keys {
			keys[i] = map[string]vault.Key{}
			all.Go(func() {
				for range vault.Batch / 4 { // two batches, and some
					k := take(t, v)
					keys[i][k.ID] = k
				}
			})
		}
		all.Wait()
		seen := map[string]vault.Key{}
		for _, some := range keys {
			maps.Copy(seen, some)
			kept, err := other.Keys(t.Context(), slices.Collect(maps.Keys(some))...)
			if err != nil {
				t.Fatal(err)
			}
			if !maps.Equal(kept, some) {
				t.Errorf("%d of %d keys are durable", len(kept), len(some))
			}
		}
		if len(seen) != 8*(vault.Batch/4) {
			t.Errorf("%d different keys", len(seen))
		}
	})
}

// TestADestroyedKeyIsInNoFile destroys keys in all orders, and looks for them in every byte that
// the vault's folder has.
func TestADestroyedKeyIsInNoFile(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	dsn := filepath.Join(folder, "vault.db")
	v := openVault(t, dsn, nil)
	source := rand.New(rand.NewPCG(1, 2))
	wrapped := func(ids []string) map[string][]byte { // as the file has it
		all := map[string][]byte{}
		db, err := store.Open(t.Context(), store.Config{DSN: dsn, Shred: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		err = db.View(t.Context(), func(tx *store.Tx) error {
			for _, id := range ids {
				var sealed []byte
				if err := tx.QueryRow(t.Context(), `SELECT wrapped FROM vault_key WHERE id = $1`, id).Scan(&sealed); err != nil {
					return err
				}
				all[id] = bytes.Clone(sealed)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	// look finds the keys of which any byte of any file is the beginning, by where.
	look := func(keys map[[16]byte]string) map[string]string {
		found := map[string]string{}
		files, err := os.ReadDir(folder)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(filepath.Join(folder, file.Name()))
			if err != nil {
				t.Fatal(err)
			}
			for at := range max(0, len(text)-15) {
				if id, is := keys[[16]byte(text[at:])]; is {
					found[id] = fmt.Sprintf("%s at %d", file.Name(), at)
				}
			}
		}
		return found
	}
	live, gone := map[string][]byte{}, map[[16]byte]string{}
	for round := range 12 {
		var ids []string
		for range 100 + source.IntN(900) {
			ids = append(ids, take(t, v).ID)
		}
		maps.Copy(live, wrapped(ids))
		ids = slices.Sorted(maps.Keys(live))
		source.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		kill := ids[:len(ids)*(round%8+1)/9]
		if err := v.Destroy(t.Context(), kill...); err != nil {
			t.Fatal(err)
		}
		for _, id := range kill {
			gone[[16]byte(live[id][12:])] = id
			delete(live, id)
		}
		if found := look(gone); len(found) > 0 {
			t.Fatalf("%d keys are destroyed, and %d of them are there: %v", len(gone), len(found), found)
		}
	}
	there := map[[16]byte]string{} // which the search would find
	for id, sealed := range live {
		there[[16]byte(sealed[12:])] = id
	}
	if found := look(there); len(found) != len(live) {
		t.Errorf("of %d keys that are not destroyed %d are there", len(live), len(found))
	}
	if files, err := os.ReadDir(folder); err != nil || len(files) != 1 {
		t.Errorf("beside the database there is %v: %v", files, err)
	}
	if info, err := os.Stat(dsn); err != nil || info.Size() > 2<<20 {
		t.Errorf("destroyed keys leave %d bytes behind", info.Size())
	}
}

func TestAVaultIsOnItsOwn(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		db := storetest.Open(t, dsn, vault.Schema)
		_, err := vault.Open(t.Context(), vault.Options{DSN: dsn, Secret: secret(1)})
		if err == nil || !strings.Contains(err.Error(), "intakes.vault") {
			t.Errorf("a vault in the store: %v", err)
		}
		err = db.View(t.Context(), func(tx *store.Tx) error {
			var rooms int
			if err := tx.QueryRow(t.Context(), `SELECT COUNT(*) FROM frontdesk_schema`).Scan(&rooms); err != nil || rooms != 1 {
				t.Errorf("%d rooms: %v", rooms, err)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
	if _, err := vault.Open(t.Context(),
		vault.Options{DSN: storetest.NewSQLite(t), Secret: []byte("short")}); err == nil {
		t.Error("any secret will do")
	}
}

func TestAnotherSecretOpensNothing(t *testing.T) {
	t.Parallel()
	dsn := storetest.NewSQLite(t)
	v := openVault(t, dsn, nil)
	k := take(t, v)
	other, err := vault.Open(t.Context(), vault.Options{DSN: dsn, Secret: secret(2)})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if _, err := other.Key(t.Context(), k.ID); err == nil || errors.Is(err, vault.ErrErased) ||
		!strings.Contains(err.Error(), "another secret") {
		t.Errorf("%v", err)
	}
	if a, b := v.DeriveID("question", "ab", "c"), other.DeriveID("question", "ab", "c"); a == b ||
		a != v.DeriveID("question", "ab", "c") || a == v.DeriveID("question", "a", "bc") || len(a) != 26 {
		t.Errorf("the names are %q and %q", a, b)
	}
}

func TestAVaultThatCannotBeWrittenToTakesNothingIn(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"make", "make done"} {
		t.Run(step, func(t *testing.T) {
			v := openVault(t, storetest.NewSQLite(t), nil)
			v.SetFault(func(at string) error {
				if at == step {
					return errors.New("the disk is full")
				}
				return nil
			})
			_, err := v.NewKey(t.Context())
			if coded := fail.From(err); coded.Code != fail.Unavailable || coded.RetryAfter == 0 ||
				strings.Contains(coded.Detail, "disk") {
				t.Errorf("%v", err)
			}
			v.SetFault(nil)
			if k := take(t, v); k.ID == "" {
				t.Error("it never comes back")
			}
		})
	}
	v := openVault(t, storetest.NewSQLite(t), nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	block := make(chan struct{})
	v.SetFault(func(string) error { <-block; return nil })
	if _, err := v.NewKey(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	close(block)
}

// TestKeysThatNothingNamesAreDestroyedInTime follows keys that were taken by a process that ended,
// and ones that a restored backup does not know for a while.
func TestKeysThatNothingNamesAreDestroyedInTime(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		now := clock.At(noon)
		v := openVault(t, fresh(t), now.Now)
		used, lost, back := take(t, v), take(t, v), take(t, v)
		named := map[string]bool{used.ID: true, back.ID: true}
		sweep := func(want int) {
			t.Helper()
			if err := v.Sweep(t.Context(), func(id string) bool { return named[id] }); err != nil {
				t.Fatal(err)
			}
			keys, err := v.Keys(t.Context(), used.ID, lost.ID, back.ID)
			if err != nil || len(keys) != want {
				t.Errorf("at %s there are %d keys, want %d: %v", now.Now(), len(keys), want, err)
			}
		}
		named[back.ID] = false
		sweep(3) // too young to be looked at
		now.Advance(24*time.Hour + time.Microsecond)
		sweep(3) // seen to be unused
		now.Advance(5 * 24 * time.Hour)
		named[back.ID] = true
		sweep(3) // and one is used after all
		now.Advance(2*24*time.Hour + time.Microsecond)
		named[back.ID] = false
		sweep(2)
		now.Advance(7*24*time.Hour + time.Microsecond)
		sweep(1)
		if _, err := v.Key(t.Context(), used.ID); err != nil {
			t.Error(err)
		}
	})
}

func TestKeysThatWereReadyForLongAreNotGivenOut(t *testing.T) {
	t.Parallel()
	now := clock.At(noon)
	v := openVault(t, storetest.NewSQLite(t), now.Now)
	take(t, v)
	made := 0
	v.SetFault(func(step string) error {
		if step == "make" {
			made++
		}
		return nil
	})
	now.Advance(time.Hour)
	take(t, v)
	if made != 0 {
		t.Error("keys of an hour are thrown away")
	}
	now.Advance(time.Microsecond)
	take(t, v)
	if made != 1 {
		t.Error("keys of more than an hour are given out")
	}
}
