package identity_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/storetest"
	"frontdesk/wire/sign"
)

// tells is a message of an edge, signed with a secret.
func tells(id string, secret sign.WebhookSecret, at time.Time, body string) identity.SignedMessage {
	return identity.SignedMessage{Key: id, ID: "m1", Timestamp: strconv.FormatInt(at.Unix(), 10),
		Signature: secret.Sign("m1", at, []byte(body)), Body: []byte(body)}
}

func TestAnEdgeIsKnownByItsKeysUntilTheyAreRevoked(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, dsn, folder := newClock(), fresh(t), t.TempDir()
		edges := func() *identity.EdgeKeys {
			return identity.NewEdgeKeys(storetest.Open(t, dsn, identity.EdgeSchema), folder, c.Now)
		}
		owner, desk := edges(), edges()
		var told []string
		owner.OnChange(func(_ context.Context, _ *store.Tx, k identity.EdgeKey) error {
			told = append(told, k.ID+" "+k.State(c.Now()))
			return nil
		})
		if known, err := desk.Has(t.Context(), "edg_none"); known || err != nil {
			t.Fatal(known, err)
		}
		first, secret, err := owner.Issue(t.Context(), "edge-1", []string{"shop", "news", "shop"})
		if err != nil || !slices.Equal(first.Sites, []string{"news", "shop"}) {
			t.Fatalf("%+v, %v", first, err)
		}
		c.Advance(time.Second) // and the other process knows
		if known, err := desk.Has(t.Context(), first.ID); !known || err != nil {
			t.Fatal(known, err)
		}
		key, err := desk.Verify(t.Context(), tells(first.ID, secret, c.Now(), "body"))
		if err != nil || key.ID != first.ID || key.Edge != "edge-1" || !slices.Equal(key.Sites, first.Sites) ||
			key.Sign("a", c.Now(), nil) != secret.Sign("a", c.Now(), nil) {
			t.Errorf("%+v, %v", key, err)
		}
		other, otherSecret, err := owner.Issue(t.Context(), "edge-2", []string{"shop"})
		if err != nil {
			t.Fatal(err)
		}
		forged := tells(first.ID, secret, c.Now(), "body")
		forged.Body = []byte("another")
		for name, m := range map[string]identity.SignedMessage{
			"another key's secret": tells(first.ID, otherSecret, c.Now(), "body"),
			"by another key":       tells(other.ID, secret, c.Now(), "body"),
			"as nobody":            tells("", secret, c.Now(), "body"),
			"another body":         forged,
			"of no key":            tells("edg_none", secret, c.Now(), "body"),
			"of an id like none":   tells("edg none", secret, c.Now(), "body"),
		} {
			if _, err := desk.Verify(t.Context(), m); fail.From(err).Code != fail.Unauthorized ||
				errors.Is(err, sign.ErrWebhookTime) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := desk.Verify(t.Context(), tells(first.ID, secret, c.Now().Add(6*time.Minute),
			"body")); !errors.Is(err, sign.ErrWebhookTime) || fail.From(err).Code != fail.Unauthorized {
			t.Errorf("of another time: %v", err)
		}
		// Another key follows it, and both are good.
		second, secondSecret, err := owner.Issue(t.Context(), "edge-1", first.Sites)
		if err != nil {
			t.Fatal(err)
		}
		c.Advance(time.Second)
		for id, s := range map[string]sign.WebhookSecret{first.ID: secret, second.ID: secondSecret} {
			if _, err := desk.Verify(t.Context(), tells(id, s, c.Now(), "body")); err != nil {
				t.Error(err)
			}
		}
		if _, err := owner.Revoke(t.Context(), first.ID); err != nil {
			t.Fatal(err)
		}
		c.Advance(time.Second)
		if _, err := desk.Verify(t.Context(), tells(first.ID, secret, c.Now(), "body")); fail.From(err).Code !=
			fail.Unauthorized {
			t.Errorf("revoked: %v", err)
		}
		if _, err := desk.Verify(t.Context(), tells(second.ID, secondSecret, c.Now(), "body")); err != nil {
			t.Error(err)
		}
		for name, sites := range map[string][]string{"edge-1": {"news"}, "Edge": {"news"}, "edge.1": {"news"},
			"edge-4": nil, "-": {"news"}} {
			if _, _, err := owner.Issue(t.Context(), name, sites); fail.From(err).Code != fail.Invalid {
				t.Errorf("%s for %v: %v", name, sites, err)
			}
		}
		if _, err := owner.Revoke(t.Context(), "edg_none"); fail.From(err).Code != fail.NotFound {
			t.Error(err)
		}
		all, err := desk.List(t.Context())
		if err != nil || len(all) != 3 {
			t.Fatal(all, err)
		}
		if want := []string{first.ID + " active", other.ID + " active", second.ID + " active",
			first.ID + " revoked"}; !slices.Equal(told, want) {
			t.Errorf("%v, want %v", told, want)
		}
		// Without the secret that sealed them, they are no keys, and no other secret is made in its
		// place.
		if err := os.Remove(filepath.Join(folder, "edges")); err != nil {
			t.Fatal(err)
		}
		if _, err := edges().Verify(t.Context(), tells(second.ID, secondSecret, c.Now(), "body")); fail.From(err).
			Code != fail.Unavailable {
			t.Errorf("without the file: %v", err)
		}
		if _, _, err := edges().Issue(t.Context(), "edge-5", []string{"news"}); err == nil {
			t.Error("another secret was made while keys need the one that is missing")
		}
	})
}

// TestARotatedKeyOfAnEdgeEndsByItself after the overlap, in every process.
func TestARotatedKeyOfAnEdgeEndsByItself(t *testing.T) {
	t.Parallel()
	c, dsn, folder := newClock(), storetest.NewSQLite(t, identity.EdgeSchema), t.TempDir()
	owner := identity.NewEdgeKeys(storetest.Open(t, dsn, identity.EdgeSchema), folder, c.Now)
	desk := identity.NewEdgeKeys(storetest.Open(t, dsn, identity.EdgeSchema), folder, c.Now)
	first, secret, err := owner.Issue(t.Context(), "edge-1", []string{"shop"})
	if err != nil {
		t.Fatal(err)
	}
	second, secondSecret, err := owner.Rotate(t.Context(), first.ID, time.Hour)
	if err != nil || second.Edge != "edge-1" || !slices.Equal(second.Sites, first.Sites) {
		t.Fatalf("%+v, %v", second, err)
	}
	verifies := func(id string, secret sign.WebhookSecret, want fail.Code) {
		t.Helper()
		_, err := desk.Verify(t.Context(), tells(id, secret, c.Now(), "body"))
		if codeOf(err) != want {
			t.Errorf("%s: %v, want %q", id, err, want)
		}
	}
	c.Advance(time.Hour - time.Second)
	verifies(first.ID, secret, "")
	verifies(second.ID, secondSecret, "")
	c.Advance(2 * time.Second)
	verifies(first.ID, secret, fail.Unauthorized)
	verifies(second.ID, secondSecret, "")
	if _, _, err := owner.Rotate(t.Context(), first.ID, 0); codeOf(err) != fail.Invalid {
		t.Errorf("a key that ended: %v", err)
	}
	if _, _, err := owner.Rotate(t.Context(), "edg_none", 0); codeOf(err) != fail.NotFound {
		t.Errorf("no key: %v", err)
	}
}
