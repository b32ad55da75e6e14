package identity_test

import (
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/testkit/storetest"
)

// TestALinkOpensTheConsoleOnceInOneBrowser follows the codes of links, on both engines.
func TestALinkOpensTheConsoleOnceInOneBrowser(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c := newClock()
		db := storetest.Open(t, fresh(t), identity.Schema, identity.LoginSchema)
		keys := identity.NewKeys(db, c.Now)
		l := identity.NewLogins(db, keys, c.Now)
		ana := identity.Person{Name: " Ana ", Zone: "Europe/Berlin"}
		link := func() string {
			t.Helper()
			code, err := l.FirstLink(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return code
		}
		refused := func(what, code, browser string) {
			t.Helper()
			if _, err := l.Take(t.Context(), code, browser); fail.From(err).Code != fail.Unauthorized {
				t.Errorf("%s: taken: %v", what, err)
			}
			_, _, _, err := l.Accept(t.Context(), code, browser, ana, time.Hour)
			if fail.From(err).Code != fail.Unauthorized {
				t.Errorf("%s: accepted: %v", what, err)
			}
		}
		refused("a code of nobody's", "SOUP", "one")
		old := link()
		c.Advance(identity.LinkTime)
		refused("a link that is over", old, "one")
		code, other := link(), link()
		refused("a browser without a secret", code, "")
		if in, err := l.Take(t.Context(), code, "one"); in.Role != identity.Owner || err != nil {
			t.Fatalf("%+v, %v", in, err)
		}
		refused("a link that another browser has", code, "two")
		for _, wrong := range []identity.Person{
			{Zone: "UTC"}, {Name: "Ana", Zone: "Soup/Bowl"}, {Name: "Ana", Zone: "Local"},
		} {
			_, _, _, err := l.Accept(t.Context(), code, "one", wrong, time.Hour)
			if fail.From(err).Code != fail.Invalid {
				t.Errorf("%+v: %v", wrong, err)
			}
		}
		token, secret, in, err := l.Accept(t.Context(), code, "one", ana, time.Hour)
		if err != nil || in.Name != "Ana" || in.Role != identity.Owner || in.Zone.String() != "Europe/Berlin" {
			t.Fatalf("%+v, %v", in, err)
		}
		found, ok, err := l.Find(t.Context(), secret)
		if !ok || err != nil || found.Role != identity.Owner || found.Zone.String() != "Europe/Berlin" {
			t.Errorf("%+v, %t, %v", found, ok, err)
		}
		if _, again, err := l.Begin(t.Context(), token, time.Hour); err != nil || again.Key != in.Key {
			t.Errorf("the token that was shown: %+v, %v", again, err)
		}
		refused("a link that was used", code, "one")
		refused("a link for the first owner, where there is one", other, "one")
		if code := link(); code != "" {
			t.Error("there is a link for a first owner, where there is one")
		}
		invited, err := l.Link(t.Context(), identity.Editor)
		if err != nil {
			t.Fatal(err)
		}
		_, _, in, err = l.Accept(t.Context(), invited, "two", ana, time.Hour)
		if err != nil || in.Role != identity.Editor {
			t.Errorf("%+v, %v", in, err)
		}
	})
}

// TestOperatorsAreOwnersUntilThereIsOne holds what tokens of before may.
func TestOperatorsAreOwnersUntilThereIsOne(t *testing.T) {
	t.Parallel()
	c := newClock()
	db := storetest.Chosen(t, identity.Schema, identity.LoginSchema)
	keys := identity.NewKeys(db, c.Now)
	l := identity.NewLogins(db, keys, c.Now)
	made := func(role string) (token, id string) {
		t.Helper()
		token, key, err := keys.Create(t.Context(), identity.Key{Name: role, Scopes: identity.ConsoleScopes(role)})
		if err != nil {
			t.Fatal(err)
		}
		return token, key.ID
	}
	old, _ := made(identity.Operator)
	viewing, _ := made(identity.Viewer)
	secret, in, err := l.Begin(t.Context(), old, time.Hour)
	if err != nil || in.Role != identity.Owner {
		t.Fatalf("before there is an owner: %+v, %v", in, err)
	}
	if _, in, err := l.Begin(t.Context(), viewing, time.Hour); err != nil || in.Role != identity.Viewer {
		t.Errorf("a viewer: %+v, %v", in, err)
	}
	_, owner := made(identity.Owner)
	for range 2 { // a token that was revoked does not make others mightier
		if in, ok, err := l.Find(t.Context(), secret); !ok || err != nil || in.Role != identity.Operator {
			t.Errorf("after there is one: %+v, %t, %v", in, ok, err)
		}
		if err := keys.Revoke(t.Context(), owner); err != nil {
			t.Fatal(err)
		}
	}
}

// TestRolesHaveTheirRights holds the table of roles.
func TestRolesHaveTheirRights(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		identity.Owner: "see tune operate own", identity.Operator: "see tune operate", identity.Editor: "see tune",
		identity.Viewer: "see", "nobody": "",
	}
	for role, rights := range want {
		got := ""
		for _, right := range []identity.Right{identity.See, identity.Tune, identity.Operate, identity.Own, "soup"} {
			if identity.May(role, right) {
				got += " " + string(right)
			}
		}
		if got != "" {
			got = got[1:]
		}
		if got != rights {
			t.Errorf("%s may %q, want %q", role, got, rights)
		}
	}
}
