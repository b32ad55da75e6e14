package identity_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/testkit/storetest"
)

// TestLoginsHoldInAllProcesses logs in at one process, and has others that share the database know
// of it.
func TestLoginsHoldInAllProcesses(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		c, dsn := newClock(), fresh(t)
		process := func() (*identity.Keys, *identity.Logins) {
			db := storetest.Open(t, dsn, identity.Schema, identity.LoginSchema)
			keys := identity.NewKeys(db, c.Now)
			return keys, identity.NewLogins(db, keys, c.Now)
		}
		keys, here := process()
		_, there := process()
		token, made, err := keys.Create(t.Context(),
			identity.Key{Name: "Ana", Scopes: identity.ConsoleScopes(identity.Viewer),
				Expires: c.Now().Add(3 * time.Hour)})
		if err != nil {
			t.Fatal(err)
		}
		secret, in, err := here.Begin(t.Context(), token, time.Hour)
		if err != nil || in.Role != identity.Viewer || in.Name != "Ana" || in.Key != made.ID {
			t.Fatalf("%+v, %v", in, err)
		}
		find := func(l *identity.Logins, secret string, want bool) {
			t.Helper()
			got, ok, err := l.Find(t.Context(), secret)
			if err != nil || ok != want ||
				ok && (got.Role != identity.Viewer || got.Key != made.ID || got.Name != "Ana") {
				t.Fatalf("%+v, %t, %v", got, ok, err)
			}
		}
		find(there, secret, true)
		find(there, "", false)
		find(there, secret+"A", false)
		if err := there.End(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		find(here, secret, false)

		secret, _, err = here.Begin(t.Context(), token, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		c.Advance(time.Hour - time.Microsecond)
		find(there, secret, true)
		c.Advance(time.Microsecond)
		find(there, secret, false)

		if secret, _, err = here.Begin(t.Context(), token, 24*time.Hour); err != nil {
			t.Fatal(err)
		}
		find(there, secret, true)
		c.Advance(2 * time.Hour) // the token is over, and with it what it began
		find(there, secret, false)
		if _, _, err := here.Begin(t.Context(), token, time.Hour); codeOf(err) != fail.Unauthorized {
			t.Errorf("a token that is over: %v", err)
		}
	})
}

// TestOnlyTokensOfTheConsoleLogIn refuses keys that were given out for something else, those for
// every door among them.
func TestOnlyTokensOfTheConsoleLogIn(t *testing.T) {
	t.Parallel()
	db := storetest.Chosen(t, identity.Schema, identity.LoginSchema)
	keys := identity.NewKeys(db, nil)
	logins := identity.NewLogins(db, keys, nil)
	for _, scopes := range [][]string{nil, {"ask"}, {"console"}, {"console:"}, {"console:root"}, {"ledger", "mcp"}} {
		token, _, err := keys.Create(t.Context(), identity.Key{Name: "other", Scopes: scopes})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := logins.Begin(t.Context(), token, time.Hour); codeOf(err) != fail.Unauthorized {
			t.Errorf("%v: %v", scopes, err)
		}
	}
}

// TestOfManyFirstLinksOneMakesAnOwner has many processes give a link, and all be used at once.
func TestOfManyFirstLinksOneMakesAnOwner(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		var all sync.WaitGroup
		var owners atomic.Int32
		processes := make([]*identity.Logins, 6)
		codes := make([]string, len(processes))
		for i := range processes {
			db := storetest.Open(t, dsn, identity.Schema, identity.LoginSchema)
			processes[i] = identity.NewLogins(db, identity.NewKeys(db, nil), nil)
			var err error
			if codes[i], err = processes[i].FirstLink(t.Context()); err != nil || codes[i] == "" {
				t.Fatalf("%q, %v", codes[i], err)
			}
		}
		for i, l := range processes {
			all.Go(func() {
				ana := identity.Person{Name: "Ana", Zone: "UTC"}
				_, _, _, err := l.Accept(t.Context(), codes[i], "browser", ana, time.Hour)
				switch {
				case err == nil:
					owners.Add(1)
				case fail.From(err).Code != fail.Unauthorized:
					t.Error(err)
				}
			})
		}
		all.Wait()
		if owners.Load() != 1 {
			t.Errorf("%d first owners", owners.Load())
		}
	})
}
