package identity_test

import (
	"sync"
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

// TestOneProcessGetsTheFirstToken has many ask for it at once.
func TestOneProcessGetsTheFirstToken(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		tokens := make([]string, 6)
		var all sync.WaitGroup
		for i := range tokens {
			db := storetest.Open(t, dsn, identity.Schema, identity.LoginSchema)
			all.Go(func() {
				var err error
				if tokens[i], err = identity.NewLogins(db, identity.NewKeys(db, nil),
					nil).First(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		all.Wait()
		made := 0
		for _, token := range tokens {
			if token != "" {
				made++
			}
		}
		if made != 1 {
			t.Errorf("%d first tokens: %q", made, tokens)
		}
	})
}
