package identity_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
)

var sealer = bytes.Repeat([]byte{7}, 32)

func platforms(t testing.TB, db *store.DB, c *clock.Clock) *identity.Platforms {
	t.Helper()
	p, err := identity.NewPlatforms(db, sealer, c.Now)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func platformKey() identity.PlatformKey {
	return identity.PlatformKey{Platform: "example-search", Roles: []string{identity.RoleEvent, identity.RoleRetrieve},
		MaxChunks: 3, MaxTokens: 900, Rate: "10/1s"}
}

func TestAPlatformsKeyIsFoundUntilItIsRevoked(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, dsn := newClock(), fresh(t)
		owner, door := platforms(t, storetest.Open(t, dsn, identity.PlatformSchema), c),
			platforms(t, storetest.Open(t, dsn, identity.PlatformSchema), c)
		made, secret, err := owner.Issue(t.Context(), platformKey(), nil)
		if err != nil || !strings.HasPrefix(made.ID, "plat_") || !strings.HasPrefix(string(secret), "fds_") ||
			len(secret) < 50 || made.Imported {
			t.Fatalf("%+v, %q, %v", made, secret, err)
		}
		found, held, err := door.Find(t.Context(), made.ID)
		if err != nil || !bytes.Equal(held, secret) {
			t.Fatalf("%q, %v", held, err)
		}
		if found.Platform != "example-search" || strings.Join(found.Roles, " ") != "retrieve event" ||
			found.MaxChunks != 3 || found.MaxTokens != 900 || found.Rate != "10/1s" ||
			found.State(c.Now()) != "active" || !found.Created.Equal(c.Now()) || !found.May(identity.RoleEvent) ||
			found.May("admin") {
			t.Errorf("%+v", found)
		}
		for _, step := range []struct{ status, code string }{
			{identity.PlatformSuspended, ""}, {identity.PlatformActive, ""}, {identity.PlatformRevoked, ""},
			{identity.PlatformRevoked, ""}, {identity.PlatformActive, "invalid"},
		} {
			if _, err := owner.SetStatus(t.Context(), made.ID, step.status); string(codeOf(err)) != step.code {
				t.Errorf("%s: %v", step.status, err)
			}
			if step.code != "" {
				continue
			}
			if found, _, _ := owner.Find(t.Context(), made.ID); found.Status != step.status {
				t.Errorf("the process that did it says %s, not %s", found.Status, step.status)
			}
			c.Advance(time.Second)
			if found, held, err := door.Find(t.Context(), made.ID); err != nil || found.Status != step.status ||
				len(held) == 0 {
				t.Errorf("after a second another process says %s, not %s: %v", found.Status, step.status, err)
			}
		}
		for _, id := range []string{"plat_unknown", "", "with blank", strings.Repeat("x", 200), "plat\x00"} {
			if _, held, err := door.Find(t.Context(), id); codeOf(err) != fail.NotFound || held != nil {
				t.Errorf("%q: %q, %v", id, held, err)
			}
			if _, err := owner.SetStatus(t.Context(), id, identity.PlatformRevoked); codeOf(err) != fail.NotFound &&
				!strings.Contains(id, "\x00") {
				t.Errorf("revoking %q: %v", id, err)
			}
		}
	})
}

func TestSecretsOfARegistryAreTaken(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := platforms(t, storetest.Chosen(t, identity.PlatformSchema), c)
	k := platformKey()
	k.ID, k.NotBefore, k.NotAfter = "plat_live_92xk", c.Now().Add(time.Hour), c.Now().Add(2*time.Hour)
	secret := []byte("\x00binary and sixteen bytes long\xff")
	made, text, err := p.Issue(t.Context(), k, secret)
	if err != nil || !made.Imported || !bytes.Equal(text, secret) {
		t.Fatalf("%+v, %q, %v", made, text, err)
	}
	for _, step := range []struct {
		by    time.Duration
		state string
	}{{0, "not yet valid"}, {time.Hour - 1, "not yet valid"}, {1, "active"}, {time.Hour - 1, "active"},
		{1, "expired"}} {
		c.Advance(step.by)
		if found, held, err := p.Find(t.Context(), "plat_live_92xk"); err != nil ||
			found.State(c.Now()) != step.state || !bytes.Equal(held, secret) {
			t.Errorf("at %v it is %s, not %s: %q, %v", c.Now(), found.State(c.Now()), step.state, held, err)
		}
	}
	if _, _, err := p.Issue(t.Context(), k, secret); codeOf(err) != fail.Invalid ||
		!strings.Contains(err.Error(), "already") {
		t.Errorf("the same id again: %v", err)
	}
	if all, err := p.List(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("%+v, %v", all, err)
	}
	for name, change := range map[string]func(*identity.PlatformKey, *[]byte){
		"a short secret":   func(_ *identity.PlatformKey, s *[]byte) { *s = []byte("fifteen letters") },
		"a long secret":    func(_ *identity.PlatformKey, s *[]byte) { *s = make([]byte, 1025) },
		"an empty secret":  func(_ *identity.PlatformKey, s *[]byte) { *s = []byte{} },
		"an id with space": func(k *identity.PlatformKey, _ *[]byte) { k.ID = "a b" },
		"no platform":      func(k *identity.PlatformKey, _ *[]byte) { k.Platform = "" },
		"no role":          func(k *identity.PlatformKey, _ *[]byte) { k.Roles = nil },
		"an odd role":      func(k *identity.PlatformKey, _ *[]byte) { k.Roles = append(k.Roles, "admin") },
		"odd limits":       func(k *identity.PlatformKey, _ *[]byte) { k.MaxTokens = -1 },
		"an end before":    func(k *identity.PlatformKey, _ *[]byte) { k.NotAfter = k.NotBefore },
	} {
		other, secret := k, bytes.Clone(secret)
		other.ID = "other"
		change(&other, &secret)
		if _, _, err := p.Issue(t.Context(), other, secret); codeOf(err) != fail.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestARotatedKeyOfAPlatformOverlaps(t *testing.T) {
	t.Parallel()
	c := newClock()
	p := platforms(t, storetest.Chosen(t, identity.PlatformSchema), c)
	old, _, err := p.Issue(t.Context(), platformKey(), nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Advance(time.Minute)
	made, secret, err := p.Rotate(t.Context(), old.ID, time.Hour)
	if err != nil || made.ID == old.ID || made.Platform != old.Platform || made.MaxChunks != old.MaxChunks ||
		made.Rate != old.Rate || len(made.Roles) != 2 || len(secret) == 0 {
		t.Fatalf("%+v, %v", made, err)
	}
	states := func(want string) {
		t.Helper()
		a, _, _ := p.Find(t.Context(), old.ID)
		b, _, _ := p.Find(t.Context(), made.ID)
		if got := a.State(c.Now()) + ", " + b.State(c.Now()); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
	states("active, active")
	c.Advance(time.Hour)
	states("expired, active")
	third, _, err := p.Rotate(t.Context(), made.ID, 0)
	if err != nil {
		t.Fatal(err)
	}
	states("expired, revoked")
	for _, id := range []string{old.ID, made.ID} {
		if _, _, err := p.Rotate(t.Context(), id, time.Hour); codeOf(err) != fail.Invalid {
			t.Errorf("rotating %s: %v", id, err)
		}
	}
	if _, _, err := p.Rotate(t.Context(), "nothing", time.Hour); codeOf(err) != fail.NotFound {
		t.Errorf("rotating nothing: %v", err)
	}
	if found, _, err := p.Find(t.Context(), third.ID); err != nil || found.State(c.Now()) != "active" {
		t.Errorf("%+v, %v", found, err)
	}
}

// TestTheDatabaseAloneGivesNoSecret reads every value of every row, and opens rows with another
// secret or changed.
func TestTheDatabaseAloneGivesNoSecret(t *testing.T) {
	t.Parallel()
	c := newClock()
	dsn := storetest.NewSQLite(t)
	db := storetest.Open(t, dsn, identity.PlatformSchema)
	p := platforms(t, db, c)
	made, secret, err := p.Issue(t.Context(), platformKey(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := p.Issue(t.Context(), platformKey(), []byte("a secret of a registry")); err != nil {
		t.Fatal(err)
	}
	rows := 0
	err = db.View(t.Context(), func(tx *store.Tx) error {
		found, err := tx.Query(t.Context(), `SELECT * FROM platform_key`)
		if err != nil {
			return err
		}
		defer found.Close()
		columns, _ := found.Columns()
		for found.Next() {
			values, into := make([]sql.RawBytes, len(columns)), make([]any, len(columns))
			for i := range values {
				into[i] = &values[i]
			}
			if err := found.Scan(into...); err != nil {
				return err
			}
			for i, value := range values {
				if bytes.Contains(value, secret) || bytes.Contains(value, []byte("registry")) {
					t.Errorf("%s holds a secret", columns[i])
				}
			}
			rows++
		}
		return found.Err()
	})
	if err != nil || rows != 2 {
		t.Fatalf("%d rows, %v", rows, err)
	}
	thief, err := identity.NewPlatforms(db, bytes.Repeat([]byte{8}, 32), c.Now)
	if err != nil {
		t.Fatal(err)
	}
	if _, held, err := thief.Find(t.Context(), made.ID); codeOf(err) != fail.Unavailable || held != nil ||
		!strings.Contains(err.Error(), "put the file back") {
		t.Errorf("with another secret: %q, %v", held, err)
	}
	for _, change := range []string{
		`UPDATE platform_key SET roles = 'retrieve' WHERE id = $1`, `UPDATE platform_key SET platform = 'other' WHERE id = $1`,
	} {
		err := db.Update(t.Context(),
			func(tx *store.Tx) error { _, err := tx.Exec(t.Context(), change, made.ID); return err })
		if err != nil {
			t.Fatal(err)
		}
		if _, held, err := platforms(t, db, c).Find(t.Context(), made.ID); codeOf(err) != fail.Unavailable ||
			held != nil {
			t.Errorf("after %s: %q, %v", change, held, err)
		}
	}
	if _, err := identity.NewPlatforms(db, []byte("short"), nil); err == nil {
		t.Error("a secret of five bytes seals")
	}
}

func nonces(t testing.TB, db *store.DB, most int, c *clock.Clock) (*identity.Nonces,
	func(key, nonce string, until time.Time) (bool, error)) {
	n := identity.NewNonces(db, most, c.Now)
	return n, func(key, nonce string, until time.Time) (fresh bool, err error) {
		err = db.Update(t.Context(), func(tx *store.Tx) (err error) {
			fresh, err = n.UseNonce(t.Context(), tx, key, nonce, until)
			return err
		})
		return fresh, err
	}
}

func TestANonceIsFreshOnceForItsTime(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, dsn := newClock(), fresh(t)
		one, use := nonces(t, storetest.Open(t, dsn, identity.PlatformSchema), 0, c)
		other := storetest.Open(t, dsn, identity.PlatformSchema)
		_, elsewhere := nonces(t, other, 0, c)
		end := c.Now().Add(10 * time.Minute)
		expect := func(what string, want, got bool, err error) {
			t.Helper()
			if err != nil || got != want {
				t.Errorf("%s: fresh is %t, %v", what, got, err)
			}
		}
		got, err := use("a", "n1", end)
		expect("the first use", true, got, err)
		got, err = use("a", "n1", end)
		expect("the same again", false, got, err)
		got, err = elsewhere("a", "n1", end)
		expect("the same at another node", false, got, err)
		got, err = elsewhere("b", "n1", end)
		expect("under another key", true, got, err)
		got, err = use("an", "1", end)
		expect("the same letters otherwise divided", true, got, err)
		got, err = use("a", "n2", c.Now())
		expect("one whose time is over", false, got, err)
		undone := errors.New("undone")
		err = other.Update(t.Context(), func(tx *store.Tx) error {
			if got, err := one.UseNonce(t.Context(), tx, "a", "n3", end); !got || err != nil {
				t.Errorf("in a transaction: %t, %v", got, err)
			}
			return undone
		})
		if !errors.Is(err, undone) {
			t.Fatal(err)
		}
		got, err = use("a", "n3", end)
		expect("one whose transaction was undone", true, got, err)
		c.Advance(10*time.Minute - 1)
		if removed, err := one.Sweep(t.Context()); removed != 0 || err != nil {
			t.Errorf("swept %d before their time, %v", removed, err)
		}
		got, err = use("a", "n1", end.Add(time.Minute))
		expect("at the end of its time", false, got, err)
		c.Advance(1)
		got, err = use("a", "n1", c.Now().Add(10*time.Minute))
		expect("after its time", true, got, err)
		c.Advance(time.Minute)
		if removed, err := one.Sweep(t.Context()); removed != 3 || err != nil {
			t.Errorf("swept %d, not 3, %v", removed, err)
		}
		got, err = elsewhere("a", "n1", c.Now().Add(10*time.Minute))
		expect("one that was used anew, after the sweep", false, got, err)
	})
}

func TestOneOfManyWhoUseANonceAtOnceIsFirst(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, dsn := newClock(), fresh(t)
		results := make(chan bool, 32)
		for range 4 {
			_, use := nonces(t, storetest.Open(t, dsn, identity.PlatformSchema), 0, c)
			for range 8 {
				go func() {
					fresh, err := use("a", "n", c.Now().Add(time.Minute))
					if err != nil {
						t.Error(err)
					}
					results <- fresh
				}()
			}
		}
		first := 0
		for range 32 {
			if <-results {
				first++
			}
		}
		if first != 1 {
			t.Errorf("%d were first", first)
		}
	})
}

func TestAKeysNoncesAreBounded(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := storetest.Chosen(t, identity.PlatformSchema)
	n, use := nonces(t, db, 3, c)
	end := c.Now().Add(5 * time.Minute)
	for _, nonce := range []string{"1", "2", "3"} {
		if fresh, err := use("a", nonce, end); !fresh || err != nil {
			t.Fatalf("%s: %t, %v", nonce, fresh, err)
		}
	}
	if _, err := use("a", "4", end); codeOf(err) != fail.Limited || fail.From(err).RetryAfter == 0 {
		t.Errorf("beyond the bound: %v", err)
	}
	if fresh, err := use("b", "4", end); !fresh || err != nil {
		t.Errorf("another key pays for it: %t, %v", fresh, err)
	}
	again, anew := nonces(t, db, 3, c)
	if _, err := again.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := anew("a", "5", end); codeOf(err) != fail.Limited {
		t.Errorf("beyond the bound after a restart: %v", err)
	}
	c.Advance(6 * time.Minute)
	if removed, err := n.Sweep(t.Context()); removed != 4 || err != nil {
		t.Errorf("swept %d, %v", removed, err)
	}
	if fresh, err := use("a", "1", c.Now().Add(time.Minute)); !fresh || err != nil {
		t.Errorf("after the sweep: %t, %v", fresh, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n.RunSweep(ctx, func(err error) { t.Errorf("told of %v though nobody listens any more", err) })
}
