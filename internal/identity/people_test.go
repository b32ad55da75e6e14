package identity_test

import (
	"context"
	"testing"
	"time"

	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/testkit/clock"
	"frontdesk/internal/testkit/storetest"
)

// people are the people at a console.
type people struct {
	*identity.Logins
	t    *testing.T
	keys *identity.Keys
	c    *clock.Clock
}

func newPeople(t *testing.T, dsn string) people {
	c := newClock()
	db := storetest.Open(t, dsn, identity.Schema, identity.LoginSchema)
	keys := identity.NewKeys(db, c.Now)
	return people{identity.NewLogins(db, keys, c.Now), t, keys, c}
}

// in makes a token of a role, and a session with it.
func (p people) in(name, role string) (id, token, session string) {
	p.t.Helper()
	p.c.Advance(time.Second)
	token, made, err := p.keys.Create(p.t.Context(), identity.Key{Name: name, Scopes: identity.ConsoleScopes(role)})
	if err == nil {
		session, _, err = p.Begin(p.t.Context(), token, time.Hour)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return made.ID, token, session
}

// role is that of a session; empty for a session that is over.
func (p people) role(session string) string {
	p.t.Helper()
	in, ok, err := p.Find(p.t.Context(), session)
	if err != nil {
		p.t.Fatal(err)
	}
	if !ok {
		return ""
	}
	return in.Role
}

func (p people) want(what string, err error, code fail.Code) {
	p.t.Helper()
	if codeOf(err) != code {
		p.t.Errorf("%s: %v, want %q", what, err, code)
	}
}

func TestTheLastOwnerStaysOne(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		p, ctx := newPeople(t, fresh(t)), t.Context()
		ana, _, session := p.in("Ana", identity.Owner)
		bo, _, _ := p.in("Bo", identity.Operator)
		for what, err := range map[string]error{
			"lowered": p.SetRole(ctx, ana, identity.Operator), "removed": p.Remove(ctx, ana),
			"suspended": p.Suspend(ctx, ana, true),
		} {
			p.want(what, err, fail.Invalid)
		}
		if role := p.role(session); role != identity.Owner {
			t.Errorf("her session has the role %q", role)
		}
		p.want("another owner", p.SetRole(ctx, bo, identity.Owner), "")
		p.want("lowered beside another owner", p.SetRole(ctx, ana, identity.Viewer), "")
		if role := p.role(session); role != identity.Viewer {
			t.Errorf("her session has the role %q", role)
		}
		p.want("the other is the last one then", p.Remove(ctx, bo), fail.Invalid)
		p.want("removed", p.Remove(ctx, ana), "")
		p.want("removed twice", p.Remove(ctx, ana), "")
		p.want("who was removed", p.SetRole(ctx, ana, identity.Owner), fail.Invalid)
		p.want("who was removed", p.Suspend(ctx, ana, false), fail.Invalid)
		p.want("nobody", p.SetRole(ctx, "none", identity.Owner), fail.NotFound)
		p.want("no role", p.SetRole(ctx, bo, "king"), fail.Invalid)
		// An owner whose token ends is none.
		_, made, err := p.keys.Create(ctx, identity.Key{Name: "Cy", Scopes: identity.ConsoleScopes(identity.Owner),
			Expires: p.c.Now().Add(time.Hour)})
		p.want("an owner for an hour", err, "")
		p.c.Advance(2 * time.Hour)
		p.want("beside an owner whose token ended", p.SetRole(ctx, bo, identity.Editor), fail.Invalid)
		p.want("whose token ended", p.Remove(ctx, made.ID), "")
	})
}

// TestOfOwnersWhoLowerEachOtherOneStays, at the same moment and by other processes.
func TestOfOwnersWhoLowerEachOtherOneStays(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		dsn := fresh(t)
		one, two := newPeople(t, dsn), newPeople(t, dsn)
		for range 5 {
			ana, _, _ := one.in("Ana", identity.Owner)
			bo, _, _ := one.in("Bo", identity.Owner)
			failed := make(chan error, 2)
			go func() { failed <- one.SetRole(context.Background(), ana, identity.Viewer) }()
			go func() { failed <- two.Remove(context.Background(), bo) }()
			first, second := <-failed, <-failed
			owners := 0
			all, err := one.Members(t.Context())
			for _, m := range all {
				if m.Role == identity.Owner && m.Revoked.IsZero() {
					owners++
				}
			}
			if err != nil || owners != 1 {
				t.Fatalf("%d owners: %v, %v, %v", owners, first, second, err)
			}
			if err := one.keys.Revoke(t.Context(), all[len(all)-1].ID); err != nil { // for the next round
				t.Fatal(err)
			}
			if err := one.keys.Revoke(t.Context(), all[len(all)-2].ID); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestOperatorsWhoCountAsOwnersStayOwners when somebody else becomes one.
func TestOperatorsWhoCountAsOwnersStayOwners(t *testing.T) {
	t.Parallel()
	for name, do := range map[string]func(context.Context, people, string) error{
		"by a role": func(ctx context.Context, p people, id string) error { return p.SetRole(ctx, id, identity.Owner) },
		"by the role of one of them": func(ctx context.Context, p people, _ string) error {
			other, _, _ := p.in("Di", identity.Operator)
			return p.SetRole(ctx, other, identity.Operator)
		},
		"by an invitation": func(ctx context.Context, p people, _ string) error {
			code, _, err := p.Invite(ctx, identity.Invitation{Role: identity.Owner})
			if err == nil {
				_, _, _, err = p.Accept(ctx, code, "one", identity.Person{Name: "Cy", Zone: "UTC"}, time.Hour)
			}
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPeople(t, storetest.NewSQLite(t, identity.Schema, identity.LoginSchema))
			_, _, before := p.in("Ana", identity.Operator)
			viewer, _, _ := p.in("Bo", identity.Viewer)
			p.want(name, do(t.Context(), p, viewer), "")
			if role := p.role(before); role != identity.Owner {
				t.Errorf("the role %q", role)
			}
		})
	}
}

func TestSomebodyIsSignedOutEverywhere(t *testing.T) {
	t.Parallel()
	p, ctx := newPeople(t, storetest.NewSQLite(t, identity.Schema, identity.LoginSchema)), t.Context()
	_, _, others := p.in("Ana", identity.Owner)
	bo, token, one := p.in("Bo", identity.Editor)
	two, _, err := p.Begin(ctx, token, time.Hour)
	p.want("a second session", err, "")
	if m, err := p.Member(ctx, bo); m.Sessions != 2 || m.Role != identity.Editor || err != nil {
		t.Errorf("%+v, %v", m, err)
	}
	p.want("signed out", p.SignOut(ctx, bo), "")
	if p.role(one)+p.role(two) != "" || p.role(others) == "" {
		t.Error("sessions are open, or those of others are not")
	}
	if _, _, err := p.Begin(ctx, token, time.Hour); err != nil {
		t.Errorf("they cannot log in again: %v", err)
	}
	p.want("suspended", p.Suspend(ctx, bo, true), "")
	_, _, err = p.Begin(ctx, token, time.Hour)
	p.want("the token of who is suspended", err, fail.Unauthorized)
	p.want("resumed", p.Suspend(ctx, bo, false), "")
	if m, err := p.Member(ctx, bo); m.Sessions != 0 || err != nil {
		t.Errorf("sessions came back: %+v, %v", m, err)
	}
	p.want("nobody", p.SignOut(ctx, "none"), fail.NotFound)
}

func TestAnInvitationIsGoodOnceAndForItsTime(t *testing.T) {
	t.Parallel()
	storetest.EachDSN(t, func(t *testing.T, fresh storetest.Fresh) {
		p, ctx := newPeople(t, fresh(t)), t.Context()
		p.in("Ana", identity.Owner)
		invite := func(name string, until time.Time) (string, identity.Invitation) {
			t.Helper()
			p.c.Advance(time.Second)
			code, made, err := p.Invite(ctx, identity.Invitation{Name: name, Role: identity.Viewer, Until: until})
			p.want("invited", err, "")
			return code, made
		}
		code, made := invite(" Bo ", p.c.Now().Add(24*time.Hour))
		short, _ := invite("Cy", time.Time{})
		gone, away := invite("Di", time.Time{})
		all, err := p.Invitations(ctx)
		if err != nil || len(all) != 3 || all[2].Name != "Bo" || all[2].ID != made.ID || all[2].Taken {
			t.Fatalf("%+v, %v", all, err)
		}
		p.want("withdrawn", p.Withdraw(ctx, away.ID), "")
		p.want("withdrawn twice", p.Withdraw(ctx, away.ID), fail.NotFound)
		_, err = p.Take(ctx, gone, "one")
		p.want("a link that was withdrawn", err, fail.Unauthorized)
		p.c.Advance(time.Hour)
		_, err = p.Take(ctx, short, "one")
		p.want("a link that is over", err, fail.Unauthorized)
		if in, err := p.Take(ctx, code, "one"); in.Name != "Bo" || in.Role != identity.Viewer || err != nil {
			t.Errorf("%+v, %v", in, err)
		}
		if all, err := p.Invitations(ctx); len(all) != 1 || !all[0].Taken || err != nil {
			t.Errorf("%+v, %v", all, err)
		}
		for what, in := range map[string]identity.Invitation{
			"no role": {Role: "king"}, "too long": {Role: identity.Viewer, Until: p.c.Now().Add(8 * 24 * time.Hour)},
			"over": {Role: identity.Viewer, Until: p.c.Now()},
		} {
			_, _, err := p.Invite(ctx, in)
			p.want(what, err, fail.Invalid)
		}
	})
}

// TestPartiesAreCalledByTheirNames holds what people see in place of the party of a key.
func TestPartiesAreCalledByTheirNames(t *testing.T) {
	t.Parallel()
	p := newPeople(t, storetest.NewSQLite(t, identity.Schema, identity.LoginSchema))
	p.in("Ana", identity.Owner)
	id, _, _ := p.in("Jürgen", identity.Editor)
	p.want("remove", p.Remove(t.Context(), id), "")
	for party, want := range map[string]string{
		"key:" + id: "Jürgen", "key:of-the-file": "of-the-file", "platform:news": "platform:news", "": "",
	} {
		if got := p.Called(t.Context(), party); got != want {
			t.Errorf("%q is called %q, and not %q", party, got, want)
		}
	}
}
