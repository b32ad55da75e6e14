package requesters

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"frontdesk/biscuit"
	"frontdesk/internal/identity"
	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/fetch"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/strictjson"
)

// Revocation is a block of a token that the operator revoked, and with it everything that was
// attenuated from it.
type Revocation struct {
	ID      []byte // the block's revocation id
	Note    string // why, for the operator
	Revoked time.Time
}

// MaxRevocationNote is how many bytes a note may have.
const MaxRevocationNote = 200

// Revoke revokes a block of a token for good. Servers that run know it within a second. It is
// fail.Invalid for what is no revocation id.
func (rs *Registry) Revoke(ctx context.Context, id []byte, note string) (Revocation, error) {
	r := Revocation{ID: id, Note: note, Revoked: rs.moment()}
	if len(id) < 32 || len(id) > 128 || len(note) > MaxRevocationNote || !visibleLine(note) {
		return r,
			fail.New(fail.Invalid, "%d bytes are no revocation id, or the note is too long; `frontdesk ramp delegate "+
				"inspect` shows the ids of a token", len(id))
	}
	return r, rs.update(ctx, func(tx *store.Tx) error {
		var version int64
		err := tx.QueryRow(ctx, `INSERT INTO requester_version (id, version) VALUES ('revoked', 1)
			ON CONFLICT (id) DO UPDATE SET version = requester_version.version + 1 RETURNING version`).Scan(&version)
		if err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `INSERT INTO requester_revoked (id, note, revoked, version) VALUES ($1, $2, $3, $4) ON CONFLICT (id) DO NOTHING`,
			r.ID, r.Note, store.Micros(r.Revoked), version)
		if err != nil || n == 0 || rs.revoking == nil {
			return err
		}
		return rs.revoking(ctx, tx, r)
	})
}

func visibleLine(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f })
}

// OnRevoke calls fn for every block that is revoked, in the transaction that does it; its error
// undoes it. Call it before anything else.
func (rs *Registry) OnRevoke(fn func(context.Context, *store.Tx, Revocation) error) { rs.revoking = fn }

// Revocations are the blocks that the operator revoked, the newest first, at most so many.
func (rs *Registry) Revocations(ctx context.Context, limit int) (all []Revocation, err error) {
	return store.List(ctx, rs.config.DB, `SELECT id, note, revoked FROM requester_revoked ORDER BY version DESC LIMIT $1`,
		func(row store.Scanner) (r Revocation, err error) {
			err = row.Scan(&r.ID, &r.Note, &r.Revoked)
			return r, err
		}, limit)
}

// readRevoked reads the ids that were revoked since a version.
func readRevoked(ctx context.Context, tx *store.Tx, since int64) (ids []string, version int64, err error) {
	version = since
	err = tx.Each(ctx, `SELECT id, version FROM requester_revoked WHERE version > $1 ORDER BY version`,
		func(row store.Scanner) error {
			var id []byte
			if err := row.Scan(&id, &version); err != nil {
				return err
			}
			ids = append(ids, string(id))
			return nil
		}, since)
	return ids, version, err
}

// revokedHere says whether the operator revoked a block of a token.
func (rs *Registry) revokedHere(token *biscuit.Verified) bool {
	rs.mu.RLock()
	defer rs.mu.RUnlock()
	return len(rs.revoked) > 0 && token.Revoked(func(id []byte) bool { return rs.revoked[string(id)] })
}

// listAt is the address of the principal's list of what it revoked. The token's own word counts;
// what stands beside it is the holder's, so it must lead to the principal.
func (d *Delegation) listAt(said string) (string, error) {
	address := d.grants.Revocation
	if address == "" {
		address = said
	}
	if address == "" {
		return "", nil
	}
	u, err := url.Parse(address)
	host := ""
	if err == nil {
		host = strings.ToLower(u.Host)
	}
	switch {
	case said != "" && said != address:
		return "", refusedDelegation("revocation_uri is another than the token's; leave it out")
	case len(address) > 2048 || host == "" || u.User != nil || u.Scheme != "https" &&
		u.Scheme+"://"+host != identity.Origin(host):
		return "", refusedDelegation("revocation_uri is no address that can be asked; it begins with https://")
	case d.grants.Revocation == "" && host != d.Domain && !strings.HasSuffix(host, "."+d.Domain):
		return "",
			refusedDelegation("revocation_uri is not of the principal's domain %s, and the token does not name it; "+
				"leave it out", d.Domain)
	}
	u.Fragment = ""
	return u.String(), nil
}

// CheckRevocation asks whether the principal has revoked the delegation, where it says where to
// ask. With sure, a list that is older than a minute is not enough: it is fetched, and
// fail.Unavailable where it cannot be. Without, what is known counts, and the list is fetched for
// those who come later. The error is ErrDelegationOver for what is revoked.
func (d *Delegation) CheckRevocation(ctx context.Context, sure bool) error {
	if d == nil || d.list == "" {
		return nil
	}
	list, err := d.rs.lists.find(ctx, d.list, sure)
	if err != nil {
		return err
	}
	if list != nil && d.token.Revoked(func(id []byte) bool { return list.ids[string(id)] }) {
		return errRevoked
	}
	return nil
}

const (
	listFresh  = time.Minute     // for how long a list holds
	listPause  = 5 * time.Second // after one could not be had
	listBytes  = 1 << 20         // of a list
	maxLists   = 1000            // that are remembered
	maxLookups = 16              // at a time
)

// lists are principals' lists of what they revoked, by their addresses: fetched when they are
// needed, once for all who need them at a time, and remembered.
type lists struct {
	fetcher *fetch.Fetcher
	now     func() time.Time

	mu      sync.Mutex
	known   map[string]*revokedList
	flights map[string]chan struct{}
}

// revokedList is a list as it was had. It is not changed once it is known.
type revokedList struct {
	ids   map[string]bool
	got   time.Time // zero while there is none
	tried time.Time
	err   error // why the last try failed
}

func newLists(fetcher *fetch.Fetcher, now func() time.Time) *lists {
	return &lists{fetcher: fetcher, now: now, known: map[string]*revokedList{}, flights: map[string]chan struct{}{}}
}

// find gives a list. With sure it is at most listFresh old, or there is an error; without, it is
// what is known, nil for nothing.
func (l *lists) find(ctx context.Context, address string, sure bool) (*revokedList, error) {
	l.mu.Lock()
	known, now := l.known[address], l.now()
	fresh := known != nil && !known.got.IsZero() && now.Sub(known.got) < listFresh && !now.Before(known.got)
	rested := known == nil || known.err == nil || now.Sub(known.tried) >= listPause || now.Before(known.tried)
	var flight chan struct{}
	if !fresh && rested {
		flight = l.begin(ctx, address)
	}
	l.mu.Unlock()
	if fresh || !sure {
		return known, nil
	}
	if flight == nil {
		return nil, noList(known)
	}
	select {
	case <-flight:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	known = l.known[address]
	if known == nil || known.err != nil || l.now().Sub(known.got) >= listFresh {
		return nil, noList(known)
	}
	return known, nil
}

// noList is the failure of a purchase of which it cannot be told whether its delegation is revoked.
func noList(known *revokedList) error {
	e := fail.New(fail.Unavailable, "requester.delegation: whether it is revoked cannot be told, and this costs too "+
		"much not to know: the list at revocation_uri cannot be had; try again").After(listPause)
	if known != nil && known.err != nil {
		return e.Wrap(known.err)
	}
	return e
}

// begin begins to fetch a list, unless somebody does; nil where too many are fetched. The caller
// holds the lock.
func (l *lists) begin(ctx context.Context, address string) chan struct{} {
	if flight := l.flights[address]; flight != nil {
		return flight
	}
	if len(l.flights) >= maxLookups {
		return nil
	}
	flight := make(chan struct{})
	l.flights[address] = flight
	go func() {
		ids, err := l.get(context.WithoutCancel(ctx), address)
		l.mu.Lock()
		defer l.mu.Unlock()
		got := &revokedList{ids: ids, got: l.now(), tried: l.now(), err: err}
		if old := l.known[address]; err != nil {
			if got.got = (time.Time{}); old != nil { // what was revoked stays so
				got.ids, got.got = old.ids, old.got
			}
		}
		if _, there := l.known[address]; !there && len(l.known) >= maxLists {
			for other := range l.known {
				if delete(l.known, other); len(l.known) <= maxLists*9/10 {
					break
				}
			}
		}
		l.known[address] = got
		delete(l.flights, address)
		close(flight)
	}()
	return flight
}

// get fetches a list.
func (l *lists) get(ctx context.Context, address string) (map[string]bool, error) {
	response, err := l.fetcher.Get(ctx,
		fetch.Request{URL: address, MaxBytes: listBytes, Header: http.Header{"Accept": {"application/json"}}})
	switch {
	case err != nil:
		return nil, err
	case response.Status != http.StatusOK:
		return nil, errors.New("it answered with status " + strconv.Itoa(response.Status))
	}
	return readList(response.Body)
}

// readList reads {"revoked": [ids]}, ids in hexadecimal digits or base64. An id that is neither is
// an error: it was meant to revoke something.
func readList(text []byte) (map[string]bool, error) {
	var document map[string]strictjson.Value
	if err := strictjson.Decode(text, &document); err != nil {
		return nil, err
	}
	written, there := document["revoked"]
	if !there {
		return nil, errors.New(`it has no member "revoked"`)
	}
	var ids []string
	if err := strictjson.Decode(written, &ids); err != nil {
		return nil, err
	}
	if ids == nil {
		return nil, errors.New(`its "revoked" is no list`)
	}
	all := make(map[string]bool, len(ids))
	for _, text := range ids {
		id, err := ParseRevocationID(text)
		if err != nil {
			return nil, err
		}
		all[string(id)] = true
	}
	return all, nil
}

// ParseRevocationID reads a revocation id in hexadecimal digits, or in base64, url-safe or
// standard, with or without padding.
func ParseRevocationID(text string) ([]byte, error) {
	text = strings.TrimSpace(text)
	if id, err := hex.DecodeString(text); err == nil && len(id) > 0 {
		return id, nil
	}
	plain := strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(text, "="))
	if id, err := base64.RawStdEncoding.DecodeString(plain); err == nil && len(id) > 0 {
		return id, nil
	}
	return nil,
		fail.New(fail.Invalid, "%q is no revocation id; write its hexadecimal digits, as `frontdesk ramp delegate "+
			"inspect` prints them", clip(text))
}
