package identity

import (
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// Member is somebody who may come in to the owner's console, by a token.
type Member struct {
	Key             // the token
	Role     string // that counts
	Zone     string // an IANA time zone; empty where it was never said
	Sessions int    // that are open
}

// Invitation is a link by which somebody comes in.
type Invitation struct {
	ID    string // by which it is withdrawn; it tells nothing of the code
	Name  string // whom it is for, as whoever made it calls them; may be empty
	Role  string
	Made  time.Time
	Until time.Time // zero has it be good for LinkTime
	Taken bool      // a browser has opened it
}

// noMember is of an id that no token for the console has.
func noMember(id string) error {
	return fail.New(fail.NotFound, "there is no person %.40q at the console; `frontdesk console people` lists those "+
		"there are", id)
}

// members reads everybody, the oldest first. Tokens of operators count as those of owners until the
// first owner's token is made; before says that this is so.
func members(ctx context.Context, tx *store.Tx) (all []Member, before bool, err error) {
	before = true
	err = tx.Each(ctx, `SELECT `+keyColumns+` FROM trust_key WHERE scopes LIKE 'console:%' ORDER BY created, id`,
		func(row store.Scanner) error {
			key, _, err := scanKey(row)
			one := Member{Key: key, Role: ConsoleRole(key.Scopes)}
			before = before && one.Role != Owner
			all = append(all, one)
			return err
		})
	for i := range all {
		if before && all[i].Role == Operator {
			all[i].Role = Owner
		}
	}
	return all, before, err
}

// Members are all who may come in, or could once, the oldest first.
func (l *Logins) Members(ctx context.Context) (all []Member, err error) {
	err = l.db.View(ctx, func(tx *store.Tx) error {
		if all, _, err = members(ctx, tx); err != nil {
			return err
		}
		zones, sessions := map[string]string{}, map[string]int{}
		if err := tx.Each(ctx, `SELECT token, zone FROM login_person`, func(row store.Scanner) error {
			var token, zone string
			err := row.Scan(&token, &zone)
			zones[token] = zone
			return err
		}); err != nil {
			return err
		}
		err := tx.Each(ctx, `SELECT token, COUNT(*) FROM login_session WHERE until > $1 GROUP BY token`,
			func(row store.Scanner) error {
				var token string
				var n int
				err := row.Scan(&token, &n)
				sessions[token] = n
				return err
			}, store.Micros(l.now()))
		for i, one := range all {
			all[i].Zone = zones[one.ID]
			if one.State(l.now()) == "valid" {
				all[i].Sessions = sessions[one.ID]
			}
		}
		return err
	})
	return all, err
}

// Member gives one of Members. It is fail.NotFound when there is none of that id.
func (l *Logins) Member(ctx context.Context, id string) (Member, error) {
	all, err := l.Members(ctx)
	for _, one := range all {
		if one.ID == id {
			return one, nil
		}
	}
	if err == nil {
		err = noMember(id)
	}
	return Member{}, err
}

// Called is what a party is called that the ledger or a list names: the holder of a registered key
// by the name, a key of the configuration by its own, anybody else as it is.
func (l *Logins) Called(ctx context.Context, party string) string {
	id, key := strings.CutPrefix(party, "key:")
	if !key {
		return party
	}
	name, err := l.keys.Name(ctx, id)
	if err != nil || name == "" {
		return id
	}
	return name
}

// change changes somebody, also to a role where one is named. It is fail.NotFound when there is
// nobody of that id, and fail.Invalid where no owner would be left who can come in.
func (l *Logins) change(ctx context.Context, id, role string, change func(*store.Tx, *Member) error) error {
	defer l.keys.known.forget(id)
	return l.db.Update(ctx, func(tx *store.Tx) error {
		all, before, err := members(ctx, tx)
		if err != nil {
			return err
		}
		at := slices.IndexFunc(all, func(m Member) bool { return m.ID == id })
		if at < 0 {
			return noMember(id)
		}
		if before && (role == Owner || role != "" && all[at].Role == Owner) {
			if err := l.settle(ctx, tx); err != nil {
				return err
			}
		}
		now, one := l.now(), all[at]
		if err := change(tx, &one); err != nil {
			return err
		}
		owns := func(m Member) bool { return m.Role == Owner && m.State(now) == "valid" }
		lost := owns(all[at]) && !owns(one)
		all[at] = one
		if lost && !slices.ContainsFunc(all, owns) {
			return fail.New(fail.Invalid, "%s is the last owner, and stays one; make somebody else an owner first",
				one.Name)
		}
		return l.keys.put(ctx, tx, one.Key)
	})
}

// settle gives operators who count as owners, since there were none, the role itself. So nobody
// loses it when somebody else becomes an owner.
func (l *Logins) settle(ctx context.Context, tx *store.Tx) error {
	all, before, err := members(ctx, tx)
	if err != nil || !before {
		return err
	}
	for _, one := range all {
		if one.Role != Owner {
			continue
		}
		one.Scopes = ConsoleScopes(Owner)
		if err := l.keys.put(ctx, tx, one.Key); err != nil {
			return err
		}
	}
	return nil
}

// stays refuses what is to become of somebody who was removed.
func stays(m *Member) error {
	if m.Revoked.IsZero() {
		return nil
	}
	return fail.New(fail.Invalid, "%s was removed, and stays so; invite them again", m.Name)
}

// SetRole gives somebody another role, which holds at once.
func (l *Logins) SetRole(ctx context.Context, id, role string) error {
	if err := checkRole(role); err != nil {
		return err
	}
	return l.change(ctx, id, role, func(_ *store.Tx, m *Member) error {
		m.Role, m.Scopes = role, ConsoleScopes(role)
		return stays(m)
	})
}

func checkRole(role string) error {
	if !slices.Contains(PersonRoles, role) {
		return fail.New(fail.Invalid, "%.40q is no role; there are %s", role, strings.Join(PersonRoles, ", "))
	}
	return nil
}

// Suspend lets somebody in no longer until they are resumed, and ends their sessions.
func (l *Logins) Suspend(ctx context.Context, id string, suspended bool) error {
	return l.change(ctx, id, "", func(tx *store.Tx, m *Member) error {
		if m.Suspended = (time.Time{}); suspended {
			m.Suspended = l.now().UTC().Truncate(time.Microsecond)
			if err := signOut(ctx, tx, id); err != nil {
				return err
			}
		}
		return stays(m)
	})
}

// Remove lets somebody in no more, and ends their sessions. It is no error when they were removed
// before.
func (l *Logins) Remove(ctx context.Context, id string) error {
	return l.change(ctx, id, "", func(tx *store.Tx, m *Member) error {
		if m.Revoked.IsZero() {
			m.Revoked = l.now().UTC().Truncate(time.Microsecond)
		}
		return signOut(ctx, tx, id)
	})
}

// SignOut ends all sessions of somebody, who may log in again with the token.
func (l *Logins) SignOut(ctx context.Context, id string) error {
	if _, err := l.Member(ctx, id); err != nil {
		return err
	}
	return l.db.Update(ctx, func(tx *store.Tx) error { return signOut(ctx, tx, id) })
}

func signOut(ctx context.Context, tx *store.Tx, id string) error {
	_, err := tx.Exec(ctx, `DELETE FROM login_session WHERE token = $1`, id)
	return err
}

// Invite makes a link by which somebody gets a role, and gives its code. Of in it takes name, role
// and until when it is good.
func (l *Logins) Invite(ctx context.Context, in Invitation) (code string, made Invitation, err error) {
	in.Name = strings.TrimSpace(in.Name)
	switch now := l.now(); {
	case len(in.Name) > 100:
		return "", in, fail.New(fail.Invalid, "a name has between 1 and 100 characters")
	case !in.Until.IsZero() && (!in.Until.After(now) || in.Until.After(now.Add(MaxLinkTime))):
		return "", in, fail.New(fail.Invalid, "a link is good for seven days at the most")
	}
	if err := checkRole(in.Role); err != nil {
		return "", in, err
	}
	err = l.db.Update(ctx, func(tx *store.Tx) error {
		some, err := anybody(ctx, tx)
		if err != nil {
			return err
		}
		if in.Role == Owner {
			if err := l.settle(ctx, tx); err != nil {
				return err
			}
		}
		code, made, err = l.link(ctx, tx, in, !some && in.Role == Owner)
		return err
	})
	return code, made, err
}

// Invitations are the links that are good and unused, the newest first.
func (l *Logins) Invitations(ctx context.Context) (all []Invitation, err error) {
	return store.List(ctx, l.db,
		`SELECT `+invitationColumns+` FROM login_link WHERE until > $1 ORDER BY made DESC, until DESC`,
		func(row store.Scanner) (Invitation, error) {
			in, _, _, err := scanInvitation(row)
			return in, err
		}, store.Micros(l.now()))
}

const invitationColumns = `id, role, first, until, browser, name, made`

func scanInvitation(row store.Scanner) (in Invitation, first bool, bound []byte, err error) {
	var id []byte
	err = row.Scan(&id, &in.Role, &first, &in.Until, &bound, &in.Name, &in.Made)
	in.ID, in.Taken = invitationID(id), len(bound) > 0
	return in, first, bound, err
}

// invitationID is by what a link is withdrawn: the first bytes of what stands for its code.
func invitationID(id []byte) string { return hex.EncodeToString(id[:min(len(id), 8)]) }

// Withdraw makes a link worth nothing. It is fail.NotFound when there is none of that id.
func (l *Logins) Withdraw(ctx context.Context, id string) error {
	return l.db.Update(ctx, func(tx *store.Tx) error {
		var found []byte
		if err := tx.Each(ctx, `SELECT id FROM login_link`, func(row store.Scanner) error {
			var one []byte
			err := row.Scan(&one)
			if invitationID(one) == id {
				found = one
			}
			return err
		}); err != nil {
			return err
		}
		if found == nil {
			return fail.New(fail.NotFound, "there is no invitation %.40q: it was used, withdrawn, or is over", id)
		}
		_, err := tx.Exec(ctx, `DELETE FROM login_link WHERE id = $1`, found)
		return err
	})
}
