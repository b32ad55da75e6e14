package identity_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
)

func newClock() *clock.Clock { return clock.At(time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)) }

// bearer and inKeyHeader are the two ways to send a key.
func bearer(text string) http.Header { return http.Header{"Authorization": {"Bearer " + text}} }

func inKeyHeader(text string) http.Header {
	h := http.Header{}
	h.Set(identity.KeyHeader, text)
	return h
}

func verifier(t testing.TB, config identity.Config) *identity.Verifier {
	t.Helper()
	v, err := identity.New(config)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// codeOf is the code of an error, empty for none.
func codeOf(err error) fail.Code {
	var coded *fail.Error
	if err == nil {
		return ""
	}
	if !errors.As(err, &coded) {
		return "uncoded: " + fail.Code(err.Error())
	}
	return coded.Code
}

func TestKeyOpensUntilItIsRevokedOrExpires(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, dsn := newClock(), fresh(t)
		owner := identity.NewKeys(storetest.Open(t, dsn, identity.Schema), c.Now)
		front := verifier(t, identity.Config{Keys: identity.NewKeys(storetest.Open(t, dsn, identity.Schema), c.Now),
			Now: c.Now})
		text, made, err := owner.Create(t.Context(),
			identity.Key{Name: "Partner", Scopes: []string{"ask"}, Rate: "5/1m", Expires: c.Now().Add(time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		want := identity.Party{ID: "key:" + made.ID, Name: "Partner", Kind: identity.KindKey, Rate: "5/1m"}
		for _, header := range []http.Header{bearer(text), inKeyHeader(text), {"Authorization": {"bearer   " + text}},
			{"Authorization": {"Basic eDp5"}, "X-Api-Key": {text}}} {
			party, ok, err := front.Verify(t.Context(), header)
			scopes := strings.Join(party.Scopes, " ")
			if party.Scopes = nil; err != nil || !ok || scopes != "ask" || party.ID != want.ID ||
				party.Name != want.Name || party.Kind != want.Kind || party.Rate != want.Rate {
				t.Errorf("%v: %+v, %t, %v", header, party, ok, err)
			}
		}
		other, second, err := owner.Create(t.Context(), identity.Key{Name: "Other"})
		if err != nil {
			t.Fatal(err)
		}
		if _, ok, err := front.Verify(t.Context(), bearer(other)); !ok {
			t.Fatal(err)
		}
		if err := owner.Revoke(t.Context(), second.ID); err != nil {
			t.Fatal(err)
		}
		c.Advance(time.Second)
		if _, ok, err := front.Verify(t.Context(), bearer(other)); ok || codeOf(err) != fail.Unauthorized ||
			!strings.Contains(err.Error(), "revoked") {
			t.Errorf("a second after another process revoked it: %t, %v", ok, err)
		}
		if err := errors.Join(owner.Revoke(t.Context(), second.ID)); err != nil {
			t.Errorf("revoking twice: %v", err)
		}
		if err := owner.Revoke(t.Context(), "nosuchkey"); codeOf(err) != fail.NotFound {
			t.Errorf("revoking what is not there: %v", err)
		}
		c.Advance(time.Hour - time.Second - 1)
		if _, ok, err := front.Verify(t.Context(), bearer(text)); !ok {
			t.Errorf("just before it expires: %v", err)
		}
		c.Advance(1)
		if _, ok, err := front.Verify(t.Context(), bearer(text)); ok || codeOf(err) != fail.Unauthorized ||
			!strings.Contains(err.Error(), "expired") {
			t.Errorf("when it expires: %t, %v", ok, err)
		}
		listed, err := owner.List(t.Context())
		if err != nil || len(listed) != 2 || listed[0].Name != "Partner" && listed[1].Name != "Partner" {
			t.Fatalf("%+v, %v", listed, err)
		}
		for _, key := range listed {
			if state := key.State(c.Now()); state != map[string]string{"Partner": "expired",
				"Other": "revoked"}[key.Name] {
				t.Errorf("%s is %s", key.Name, state)
			}
		}
	})
}

func TestKeysAreKeptWithoutTheirSecret(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, open func(*testing.T, ...store.Schema) *store.DB) {
		db := open(t, identity.Schema)
		text, _, err := identity.NewKeys(db, nil).Create(t.Context(), identity.Key{Name: "Partner"})
		if err != nil {
			t.Fatal(err)
		}
		secret := text[strings.LastIndex(text, "_")+1:]
		if len(secret) < 26 || !strings.HasPrefix(text, identity.Prefix) {
			t.Fatalf("a key of %d characters", len(text))
		}
		err = db.View(t.Context(), func(tx *store.Tx) error {
			var id, name, scopes, rate string
			var hash []byte
			err := tx.QueryRow(t.Context(), `SELECT id, name, hash, scopes, rate FROM trust_key`).Scan(&id, &name, &hash, &scopes, &rate)
			if strings.Contains(strings.Join([]string{id, name, string(hash), scopes, rate}, " "), secret) {
				t.Error("the secret is in the table")
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}

func TestAlmostRightKeysAreWrong(t *testing.T) {
	t.Parallel()
	keys := identity.NewKeys(storetest.OpenSQLite(t, identity.Schema), nil)
	right, _, err := keys.Create(t.Context(), identity.Key{Name: "Partner"})
	if err != nil {
		t.Fatal(err)
	}
	other, _, err := keys.Create(t.Context(), identity.Key{Name: "Other"})
	if err != nil {
		t.Fatal(err)
	}
	v := verifier(t, identity.Config{Keys: keys, Strict: true})
	rapid.Check(t, func(rt *rapid.T) {
		text := []byte(right)
		at := rapid.IntRange(0, len(text)-1).Draw(rt, "at")
		switch rapid.IntRange(0, 4).Draw(rt, "change") {
		case 0:
			text[at] = rapid.SampledFrom([]byte("abcdefghijklmnopqrstuvwxyz234567_ABC")).Draw(rt, "to")
		case 1:
			text = append(text[:at], text[at+1:]...)
		case 2:
			text = append(text, text[at])
		case 3:
			copy(text[at:], other[at:])
		default:
			text = text[:at]
		}
		if string(text) == right || string(text) == other || strings.TrimSpace(string(text)) == "" {
			return
		}
		party, ok, err := v.Verify(t.Context(), inKeyHeader(string(text)))
		if ok || party.ID != "" || codeOf(err) != fail.Unauthorized {
			rt.Fatalf("%q opens: %+v, %v", text, party, err)
		}
		if strings.Contains(err.Error(), right[20:]) {
			rt.Fatalf("the error tells a secret: %v", err)
		}
	})
	if _, ok, err := v.Verify(t.Context(), inKeyHeader(right)); !ok {
		t.Errorf("the right one: %v", err)
	}
}

func TestKnownKeysOutliveTheDatabaseForAMinute(t *testing.T) {
	t.Parallel()
	c, db := newClock(), storetest.OpenSQLite(t, identity.Schema)
	keys := identity.NewKeys(db, c.Now)
	text, _, err := keys.Create(t.Context(), identity.Key{Name: "Partner"})
	if err != nil {
		t.Fatal(err)
	}
	unseen, _, err := keys.Create(t.Context(), identity.Key{Name: "Unseen"})
	if err != nil {
		t.Fatal(err)
	}
	v := verifier(t, identity.Config{Keys: keys, Now: c.Now})
	if _, ok, err := v.Verify(t.Context(), bearer(text)); !ok {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	c.Advance(30 * time.Second)
	if _, ok, err := v.Verify(t.Context(), bearer(text)); !ok {
		t.Errorf("half a minute later: %v", err)
	}
	if _, ok, err := v.Verify(t.Context(), bearer(unseen)); ok || codeOf(err) != fail.Unavailable {
		t.Errorf("one that was not used before: %t, %v", ok, err)
	}
	c.Advance(time.Minute)
	if _, ok, err := v.Verify(t.Context(), bearer(text)); ok || codeOf(err) != fail.Unavailable {
		t.Errorf("after more than a minute: %t, %v", ok, err)
	}
}

func TestKeysOfTheConfigurationAreKnownByTheirHash(t *testing.T) {
	t.Parallel()
	fixed := []identity.ConfiguredKey{{Name: "first", Hash: identity.Hash("a secret of my own"),
		Scopes: []string{"mcp"}}, {Name: "second", Hash: identity.Hash("another")}}
	v := verifier(t, identity.Config{Fixed: fixed, Strict: true})
	for text, want := range map[string]string{"a secret of my own": "key:first", "another": "key:second", "a third": "",
		identity.Hash("another"): ""} {
		for _, header := range []http.Header{bearer(text), inKeyHeader(text)} {
			party, ok, err := v.Verify(t.Context(), header)
			if party.ID != want || ok != (want != "") || ok == (codeOf(err) == fail.Unauthorized) {
				t.Errorf("%v: %+v, %t, %v", header, party, ok, err)
			}
		}
	}
	if _, err := identity.New(identity.Config{Fixed: []identity.ConfiguredKey{{Name: "x", Hash: "sha256:12"}}}); err ==
		nil || !strings.Contains(err.Error(), "x") {
		t.Errorf("a hash that is none: %v", err)
	}
}

func TestWhatIsNoCredentialHereIsNobodysUnlessStrict(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]http.Header{
		"nothing":            {},
		"another scheme":     {"Authorization": {"Basic eDp5"}},
		"an empty header":    {"X-Api-Key": {" "}},
		"somebody's token":   bearer("eyJhbGciOiJub25lIn0.e30."),
		"somebody's key":     inKeyHeader("sk-123"),
		"two authorizations": {"Authorization": {"Bearer a", "Bearer b"}},
		"two keys":           {"X-Api-Key": {"a", "b"}},
		"an empty token":     {"Authorization": {"Bearer "}},
	} {
		for _, strict := range []bool{false, true} {
			_, ok, err := verifier(t, identity.Config{Strict: strict}).Verify(t.Context(), header)
			wrong := strict && name != "nothing" && name != "another scheme" && name != "an empty header"
			if ok || wrong != (codeOf(err) == fail.Unauthorized) || !wrong && err != nil {
				t.Errorf("%s, strict %t: %t, %v", name, strict, ok, err)
			}
		}
	}
}

func TestChallengeCannotBeBrokenOutOf(t *testing.T) {
	t.Parallel()
	c := identity.Challenge{Metadata: "https://x/\"\r\n, y=\"", Error: "invalid_token", Scopes: []string{"a", "b"}}
	want := `Bearer realm="frontdesk", error="invalid_token", scope="a b", resource_metadata="https://x/, y="`
	if got := c.String(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (identity.Challenge{}).String(); got != `Bearer realm="frontdesk"` {
		t.Errorf("got %s", got)
	}
}

func TestARotatedKeyOverlapsWithTheOneThatFollows(t *testing.T) {
	t.Parallel()
	c := newClock()
	keys := identity.NewKeys(storetest.Chosen(t, identity.Schema), c.Now)
	front := verifier(t, identity.Config{Keys: keys, Now: c.Now})
	opens := func(text string) bool {
		_, ok, _ := front.Verify(t.Context(), bearer(text))
		return ok
	}
	for name, one := range map[string]struct {
		expires, overlap, good time.Duration
	}{
		"without an end":          {0, time.Hour, time.Hour},
		"that would have ended":   {time.Minute, time.Hour, time.Minute},
		"that would end later":    {24 * time.Hour, time.Hour, time.Hour},
		"that is to end at once":  {0, 0, 0},
		"that ends at once, both": {time.Hour, 0, 0},
	} {
		old := identity.Key{Name: "Partner", Scopes: []string{"ask"}, Rate: "5/1m"}
		if one.expires > 0 {
			old.Expires = c.Now().Add(one.expires)
		}
		first, kept, err := keys.Create(t.Context(), old)
		if err != nil {
			t.Fatal(err)
		}
		second, made, err := keys.Rotate(t.Context(), kept.ID, one.overlap)
		if err != nil || made.ID == kept.ID || made.Name != "Partner" || made.Rate != "5/1m" || len(made.Scopes) != 1 ||
			!made.Expires.Equal(old.Expires) {
			t.Fatalf("%s: %+v, %v", name, made, err)
		}
		if one.good > 0 {
			c.Advance(one.good - 1)
			if !opens(first) || !opens(second) {
				t.Errorf("%s: just before the end the old one opens: %t, the new one: %t", name, opens(first),
					opens(second))
			}
			c.Advance(1)
		}
		c.Advance(time.Second) // what was read of a key holds for as long
		if opens(first) {
			t.Errorf("%s: the old one opens when it has ended", name)
		}
		if want := one.expires != time.Minute; opens(second) != want {
			t.Errorf("%s: the new one opens: %t", name, !want)
		}
		if _, _, err := keys.Rotate(t.Context(), kept.ID, time.Hour); codeOf(err) != fail.Invalid {
			t.Errorf("%s: it is rotated twice: %v", name, err)
		}
	}
	if _, _, err := keys.Rotate(t.Context(), "nothing", time.Hour); codeOf(err) != fail.NotFound {
		t.Errorf("%v", err)
	}
}

// TestASuspendedKeyOpensNothingUntilItIsResumed in any process.
func TestASuspendedKeyOpensNothingUntilItIsResumed(t *testing.T) {
	t.Parallel()
	c, dsn := newClock(), storetest.NewSQLite(t, identity.Schema)
	owner := identity.NewKeys(storetest.Open(t, dsn, identity.Schema), c.Now)
	front := verifier(t, identity.Config{Keys: identity.NewKeys(storetest.Open(t, dsn, identity.Schema), c.Now),
		Now: c.Now})
	text, made, err := owner.Create(t.Context(), identity.Key{Name: "Partner"})
	if err != nil {
		t.Fatal(err)
	}
	opens := func(want fail.Code) {
		t.Helper()
		if _, _, err := front.Verify(t.Context(), bearer(text)); codeOf(err) != want {
			t.Errorf("%v, want %q", err, want)
		}
		c.Advance(time.Second)
	}
	opens("")
	if err := owner.Suspend(t.Context(), made.ID, true); err != nil {
		t.Fatal(err)
	}
	opens(fail.Unauthorized)
	if _, _, err := owner.Rotate(t.Context(), made.ID, time.Hour); codeOf(err) != fail.Invalid {
		t.Errorf("a suspended key was rotated: %v", err)
	}
	if err := owner.Suspend(t.Context(), made.ID, false); err != nil {
		t.Fatal(err)
	}
	opens("")
	if err := owner.Revoke(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	if err := owner.Suspend(t.Context(), made.ID, true); codeOf(err) != fail.Invalid {
		t.Errorf("a revoked key was suspended: %v", err)
	}
	if err := owner.Suspend(t.Context(), "none", true); codeOf(err) != fail.NotFound {
		t.Errorf("no key: %v", err)
	}
}
