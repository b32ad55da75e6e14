package identity_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/sign"
)

// deliveries are delivery keys with a folder of secrets of their own.
func deliveries(t testing.TB, dsn string, c *clock.Clock, folder string) *identity.DeliveryKeys {
	t.Helper()
	return identity.NewDeliveryKeys(storetest.Open(t, dsn, identity.DeliverySchema), folder, c.Now)
}

const articleAt = "https://cdn.example.net/a.html"

// signsBy is an address that the keys of a place sign, and whether it is good by those of another
// process.
func signsBy(t testing.TB, d *identity.DeliveryKeys, place string, now time.Time) (string, error) {
	t.Helper()
	keys, err := d.Keys(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	return sign.URLKeys{Origin: "https://cdn.example.net", Keys: keys}.Sign(articleAt,
		sign.URLGrant{Expires: now.Add(sign.URLLife), Agent: "a", Transaction: "t"}, now)
}

func opens(t testing.TB, d *identity.DeliveryKeys, place, address string, now time.Time) error {
	t.Helper()
	keys, err := d.Keys(t.Context(), place)
	if err != nil {
		t.Fatal(err)
	}
	_, _, err = sign.URLKeys{Origin: "https://cdn.example.net", Keys: keys}.Verify(address, now)
	return err
}

func TestADeliveryKeySignsFromItsActivationUntilItIsFollowed(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, dsn, folder := newClock(), fresh(t), t.TempDir()
		owner, desk := deliveries(t, dsn, c, folder), deliveries(t, dsn, c, folder)
		var told []string
		owner.OnChange(func(_ context.Context, _ *store.Tx, k identity.DeliveryKey) error {
			told = append(told, k.ID+" "+k.State(c.Now()))
			return nil
		})
		first, secret, err := owner.Issue(t.Context(), "cdn", sign.URLHMAC, "", nil)
		if raw, bad := hex.DecodeString(secret); err != nil || bad != nil || len(raw) != 32 ||
			first.State(c.Now()) != "waiting" {
			t.Fatalf("%+v, %q, %v", first, secret, err)
		}
		if _, err := signsBy(t, desk, "cdn", c.Now()); err != sign.ErrURLNoKey {
			t.Errorf("it signs while it waits: %v", err)
		}
		first, err = owner.Activate(t.Context(), first.ID, "", identity.DeliveryKeyGrace)
		if err != nil || first.State(c.Now()) != "signing" || !first.Ends.Equal(c.Now().Add(90*24*time.Hour)) {
			t.Fatalf("%+v, %v", first, err)
		}
		c.Advance(time.Second) // and the other process knows
		old, err := signsBy(t, desk, "cdn", c.Now())
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := hex.DecodeString(secret)
		if _, _, err := (sign.URLKeys{Origin: "https://cdn.example.net",
			Keys: []sign.URLKey{{Form: sign.URLHMAC, Secret: raw}}}).Verify(old, c.Now()); err != nil {
			t.Errorf("the secret that was shown is another: %v", err)
		}
		if _, err := signsBy(t, desk, "other", c.Now()); err != sign.ErrURLNoKey {
			t.Errorf("it signs for another place: %v", err)
		}
		next, _, err := owner.Issue(t.Context(), "cdn", sign.URLHMAC, "", nil)
		if err == nil {
			next, err = owner.Activate(t.Context(), next.ID, "", time.Minute)
		}
		if err != nil {
			t.Fatal(err)
		}
		if all, err := owner.List(t.Context()); err != nil || len(all) != 2 || all[0].State(c.Now()) != "overlapping" &&
			all[1].State(c.Now()) != "overlapping" {
			t.Errorf("%+v, %v", all, err)
		}
		c.Advance(time.Second)
		if address, err := signsBy(t, desk, "cdn", c.Now()); err != nil || address == old ||
			opens(t, desk, "cdn", old, c.Now()) != nil {
			t.Errorf("%s, %v", address, err)
		}
		c.Advance(time.Minute)
		if err := opens(t, desk, "cdn", old, c.Now()); err != sign.ErrURLForm && err != sign.ErrURLSignature {
			t.Errorf("after the grace: %v", err)
		}
		c.Advance(90 * 24 * time.Hour)
		if _, err := signsBy(t, desk, "cdn", c.Now()); err != sign.ErrURLNoKey {
			t.Errorf("after 90 days: %v", err)
		}
		if got := strings.Join(told, "; "); got != first.ID+" waiting; "+first.ID+" signing; "+next.ID+" waiting; "+
			first.ID+" overlapping; "+next.ID+" signing" {
			t.Error(got)
		}
	})
}

func TestARevokedDeliveryKeySignsNothing(t *testing.T) {
	t.Parallel()
	c, folder := newClock(), t.TempDir()
	d := deliveries(t, storetest.ChosenDSN(t), c, folder)
	key, _, err := d.Issue(t.Context(), "cdn", sign.URLFastly, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Activate(t.Context(), key.ID, "", 0); err != nil {
		t.Fatal(err)
	}
	if _, err := signsBy(t, d, "cdn", c.Now()); err != nil {
		t.Fatal(err)
	}
	if key, err = d.Revoke(t.Context(), key.ID); err != nil || key.State(c.Now()) != "revoked" {
		t.Errorf("%+v, %v", key, err)
	}
	if _, err := signsBy(t, d, "cdn", c.Now()); err != sign.ErrURLNoKey {
		t.Errorf("it signs: %v", err)
	}
	for name, err := range map[string]error{
		"activated again": func() error { _, err := d.Activate(t.Context(), key.ID, "", 0); return err }(),
		"a grace of days": func() error { _, err := d.Activate(t.Context(), key.ID, "", 25*time.Hour); return err }(),
	} {
		if codeOf(err) != "invalid" {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.Revoke(t.Context(), "url_none"); codeOf(err) != "not found" && codeOf(err) != "not_found" {
		t.Errorf("one that is not there: %v", err)
	}
}

func TestDeliveryKeysOfElsewhereAreTaken(t *testing.T) {
	t.Parallel()
	c, folder := newClock(), t.TempDir()
	d := deliveries(t, storetest.ChosenDSN(t), c, folder)
	rsaKey, _ := rsa.GenerateKey(rand.Reader, 2048)
	ecKey, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	pkcs8, _ := x509.MarshalPKCS8PrivateKey(rsaKey)
	sec1, _ := x509.MarshalECPrivateKey(ecKey)
	pemOf := func(kind string, der []byte) string {
		return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
	}
	for i, one := range []struct {
		form           sign.URLForm
		text, encoding string
	}{
		{sign.URLHMAC, strings.Repeat("0a", 16), ""}, {sign.URLHMAC, "shared-secret\n", "text"},
		{sign.URLAkamai, strings.Repeat("0A", 16), ""},
		{sign.URLFastly, "iqFPeN2u+Z0Lm5IrsKaOFKRqEU5Gw8ePtaEkHZWuD24=", ""},
		{sign.URLFastly, strings.Repeat("0a", 16), "hex"},
		{sign.URLCloudFront, pemOf("PRIVATE KEY", pkcs8), ""},
		{sign.URLCloudFront, pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey)), ""},
		{sign.URLCloudFront, pemOf("EC PRIVATE KEY", sec1), ""},
	} {
		secret, err := identity.ParseDeliverySecret(one.form, []byte(one.text), one.encoding)
		if err != nil {
			t.Fatal(i, err)
		}
		place := string(one.form) + one.encoding + strings.Repeat("x", i)
		key, shown, err := d.Issue(t.Context(), place, one.form, "", secret)
		if err != nil || !key.Imported || strings.Contains(shown, "PRIVATE") ||
			(shown == "") == (one.form == sign.URLCloudFront) {
			t.Fatalf("%d: %+v, %q, %v", i, key, shown, err)
		}
		if one.form == sign.URLCloudFront {
			if _, err := d.Activate(t.Context(), key.ID, "", 0); codeOf(err) != "invalid" {
				t.Errorf("%d: activated without the id by which CloudFront knows it: %v", i, err)
			}
		}
		if key, err = d.Activate(t.Context(), key.ID, "K2JCJMDEHXQW5F", 0); err != nil {
			t.Fatal(i, err)
		}
		if address, err := signsBy(t, d, place, c.Now()); err != nil || opens(t, d, place, address, c.Now()) != nil {
			t.Errorf("%d: %s, %v", i, address, err)
		}
	}
	made, shown, err := d.Issue(t.Context(), "made", sign.URLCloudFront, "", nil)
	if block, _ := pem.Decode([]byte(shown)); err != nil || block == nil || block.Type != "PUBLIC KEY" ||
		made.Imported {
		t.Errorf("one that is made shows %q, %v", shown, err)
	}
	small, _ := rsa.GenerateKey(rand.Reader, 1024)
	for _, wrong := range []struct {
		form           sign.URLForm
		text, encoding string
	}{
		{sign.URLHMAC, "shared-secret", ""}, {sign.URLHMAC, "0a0", ""}, {sign.URLHMAC, "0a0a", ""},
		{sign.URLFastly, "%", ""}, {sign.URLHMAC, "0a", "base32"}, {sign.URLCloudFront, "0a", ""},
		{sign.URLCloudFront, pemOf("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(small)), ""},
		{sign.URLCloudFront, pemOf("PUBLIC KEY", pkcs8), "x"}, {"md5", strings.Repeat("0a", 16), ""},
	} {
		secret, err := identity.ParseDeliverySecret(wrong.form, []byte(wrong.text), wrong.encoding)
		if err == nil {
			_, _, err = d.Issue(t.Context(), "wrong", wrong.form, "", secret)
		}
		if codeOf(err) != "invalid" && wrong.encoding != "x" {
			t.Errorf("%s %.20q: %v", wrong.form, wrong.text, err)
		}
	}
}

// TestACopyOfTheDatabaseSignsNothing looks for the secret in the table, and has the folder of
// secrets and the rows changed.
func TestACopyOfTheDatabaseSignsNothing(t *testing.T) {
	t.Parallel()
	c, folder := newClock(), t.TempDir()
	db := storetest.Open(t, storetest.ChosenDSN(t), identity.DeliverySchema)
	d := identity.NewDeliveryKeys(db, folder, c.Now)
	if _, err := os.Stat(filepath.Join(folder, "delivery")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a secret is made before it is needed: %v", err)
	}
	secret := []byte("the secret that is looked for in here")
	key, _, err := d.Issue(t.Context(), "cdn", sign.URLHMAC, "", secret)
	if err == nil {
		_, err = d.Activate(t.Context(), key.ID, "", 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(folder, "delivery"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	change := func(query string, args ...any) {
		t.Helper()
		if err := db.Update(t.Context(),
			func(tx *store.Tx) error { _, err := tx.Exec(t.Context(), query, args...); return err }); err != nil {
			t.Fatal(err)
		}
	}
	var sealed []byte
	if err := db.View(t.Context(), func(tx *store.Tx) error {
		return tx.QueryRow(t.Context(), `SELECT sealed FROM delivery_key`).Scan(&sealed)
	}); err != nil || bytes.Contains(sealed, secret[:8]) {
		t.Errorf("%q, %v", sealed, err)
	}
	other := identity.NewDeliveryKeys(db, folder, c.Now)
	change(`UPDATE delivery_key SET place = $1`, "mine")
	if _, err := other.Keys(t.Context(), "mine"); err == nil {
		t.Error("a row that was changed signs")
	}
	change(`UPDATE delivery_key SET place = $1`, "cdn")
	if _, err := other.Keys(t.Context(), "cdn"); err != nil {
		t.Error(err)
	}
	if err := os.Remove(filepath.Join(folder, "delivery")); err != nil {
		t.Fatal(err)
	}
	other = identity.NewDeliveryKeys(db, folder, c.Now)
	if _, err := other.Keys(t.Context(), "cdn"); err == nil || !strings.Contains(err.Error(), "backup") {
		t.Errorf("without the secret: %v", err)
	}
	if _, _, err := other.Issue(t.Context(), "cdn", sign.URLHMAC, "", nil); err == nil {
		t.Error("a new secret was made in place of the one that is missing")
	}
	if _, err := other.Revoke(t.Context(), key.ID); err != nil {
		t.Error(err)
	}
	if _, _, err := other.Issue(t.Context(), "cdn", sign.URLHMAC, "", nil); err != nil {
		t.Errorf("nothing needs the secret that is missing: %v", err)
	}
}
