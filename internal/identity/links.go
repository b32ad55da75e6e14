package identity

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"errors"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
)

// LinkTime is how long the code of a link is good where nothing else is said, and MaxLinkTime how
// long it may be.
const (
	LinkTime    = 30 * time.Minute
	MaxLinkTime = 7 * 24 * time.Hour
)

// errLink is the answer to every code that opens nothing. It does not say why, since whoever has a
// wrong code is to learn nothing from it.
var errLink = fail.New(fail.Unauthorized, "this link is not valid: it is good once, for a while, in the browser that "+
	"opened it first; an owner, or `frontdesk console link`, makes another")

// Person is what somebody says of themselves who comes in by a link.
type Person struct {
	Name string
	Zone string // an IANA time zone, such as Europe/Berlin
}

// FirstLink makes the code of a link for the first owner; empty where a token for the console was
// ever made. It is worth nothing as soon as there is one.
func (l *Logins) FirstLink(ctx context.Context) (code string, err error) {
	err = l.db.Update(ctx, func(tx *store.Tx) error {
		code = ""
		if some, err := anybody(ctx, tx); err != nil || some {
			return err
		}
		code, _, err = l.link(ctx, tx, Invitation{Role: Owner}, true)
		return err
	})
	return code, err
}

// Link makes the code of a link by which somebody gets a role.
func (l *Logins) Link(ctx context.Context, role string) (code string, err error) {
	code, _, err = l.Invite(ctx, Invitation{Role: role})
	return code, err
}

// anybody says whether a token for the console was ever made.
func anybody(ctx context.Context, tx *store.Tx) (bool, error) {
	var made int
	err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM trust_key WHERE scopes LIKE 'console:%'`).Scan(&made)
	return made > 0, err
}

func (l *Logins) link(
	ctx context.Context, tx *store.Tx, in Invitation, first bool,
) (code string, made Invitation, err error) {
	now := l.now().UTC().Truncate(time.Microsecond)
	if _, err := tx.Exec(ctx, `DELETE FROM login_link WHERE until <= $1`, store.Micros(now)); err != nil {
		return "", in, err
	}
	if in.Until.IsZero() {
		in.Until = now.Add(LinkTime)
	}
	code, in.Made = rand.Text(), now // 130 random bits
	id := linkID(code)
	in.ID = invitationID(id)
	_, err = tx.Exec(ctx, `INSERT INTO login_link (id, role, first, until, browser, name, made) VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		id, in.Role, store.Flag(first), store.Micros(in.Until), []byte{}, in.Name, store.Micros(in.Made))
	return code, in, err
}

// Take binds a link to the browser that opens it, which a secret of its own stands for, and gives
// what it is for. It is fail.Unauthorized for a code that is unknown, over, used, or bound to
// another browser.
func (l *Logins) Take(ctx context.Context, code, browser string) (in Invitation, err error) {
	err = l.db.Update(ctx, func(tx *store.Tx) error {
		in, err = l.take(ctx, tx, code, browser)
		return err
	})
	return in, err
}

func (l *Logins) take(ctx context.Context, tx *store.Tx, code, browser string) (in Invitation, err error) {
	id, mine := linkID(code), loginID(browser)
	in, first, bound, err := scanInvitation(tx.QueryRow(ctx, `SELECT `+invitationColumns+` FROM login_link WHERE id = $1`, id))
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return Invitation{}, errLink
	case err != nil:
		return Invitation{}, err
	case browser == "", !l.now().Before(in.Until), len(bound) > 0 && !bytes.Equal(bound, mine):
		return Invitation{}, errLink
	}
	if first {
		some, err := anybody(ctx, tx)
		if err != nil {
			return Invitation{}, err
		}
		if some {
			return Invitation{}, errLink
		}
	}
	_, err = tx.Exec(ctx, `UPDATE login_link SET browser = $1 WHERE id = $2`, mine, id)
	return in, err
}

// Accept makes the token of somebody who comes in by a link, and begins a session with it. The link
// is used up.
func (l *Logins) Accept(
	ctx context.Context, code, browser string, who Person, good time.Duration,
) (token, secret string, in Login, err error) {
	name := strings.TrimSpace(who.Name)
	zone, zoneErr := time.LoadLocation(who.Zone)
	switch {
	case name == "" || len(name) > 100:
		return "", "", Login{}, fail.New(fail.Invalid, "a name has between 1 and 100 characters")
	case zoneErr != nil || who.Zone == "Local" || len(who.Zone) > 64:
		return "", "", Login{}, fail.New(fail.Invalid, "%q is no time zone; write one like Europe/Berlin", who.Zone)
	}
	err = l.db.Update(ctx, func(tx *store.Tx) error {
		link, err := l.take(ctx, tx, code, browser)
		if err != nil {
			return err
		}
		var made Key
		token, made, err = l.keys.create(ctx, tx, Key{Name: name, Scopes: ConsoleScopes(link.Role)})
		if err != nil {
			return err
		}
		if _, err = tx.Exec(ctx, `DELETE FROM login_link WHERE id = $1`, linkID(code)); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO login_person (token, zone) VALUES ($1, $2)`, made.ID, zone.String())
		if err != nil {
			return err
		}
		secret, in, err = l.begin(ctx, tx, made.ID, good)
		in.Name, in.Role, in.Zone = made.Name, link.Role, zone
		return err
	})
	return token, secret, in, err
}

func linkID(code string) []byte {
	sum := sha256.Sum256([]byte("link " + strings.ToUpper(strings.TrimSpace(code))))
	return sum[:]
}
