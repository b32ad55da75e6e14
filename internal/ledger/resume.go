package ledger

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/receipt"
)

// A database can be older than what was signed from it: it was put back from a backup, or a standby
// took over that had not followed to the end. Whoever then went on would sign a second history
// under the same name, and those who hold receipts of the first could prove it. So a ledger does
// not go on from a database
//
//   - that a restore has filled, or whose log has lost its end (store.Loaded), until Resume says
//     how: nobody but the owner knows what was signed since;
//   - that is not the continuation of what this process has seen, or of what Options.Recall gives.

// The slots of ledger_state for this.
const (
	slotRestored = "restored" // the mark of the restore after which Resume was called
	slotFollowed = "followed" // and the name of a ledger that has another name by now; how many entries it had
)

// ErrUndecided is of a restored ledger, as long as the owner has not said how it goes on. Answering
// needs no ledger.
var ErrUndecided = errors.New("the ledger was put back from a backup")

// Advice is what an owner is to do whose ledger does not go on.
const Advice = "Put back a newer backup, if there is one. Otherwise run `frontdesk ledger resume`: the ledger goes " +
	"on under a new name, and what " +
	"was signed under the old one stays true"

// known is what this process knows of how far the ledger was signed. Its fields are read and
// written under Ledger.mu.
type known struct {
	looked   bool
	mark     string // of the restore that filled the database; empty for none
	restored string // the same, as long as nobody has said how the ledger goes on after it
	last     head   // the longest that was seen: by this process, or by those before it
}

// look finds out what others have left about how far the ledger was signed, once. It must not be
// called in a transaction on PostgreSQL.
func (l *Ledger) look(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.known.looked {
		return nil
	}
	mark, err := l.db.LoadMark(ctx)
	if err != nil {
		return err
	}
	last, err := l.recall()
	if err != nil {
		return err
	}
	l.known = known{looked: true, mark: mark, restored: mark, last: last}
	return nil
}

// recall gives what was signed last by the word of Options.Recall; nothing where it has none.
func (l *Ledger) recall() (head, error) {
	if l.options.LoadCheckpoint == nil || l.options.Keys == nil {
		return head{}, nil
	}
	text, err := l.options.LoadCheckpoint()
	if err != nil || text == "" {
		return head{}, err
	}
	c, err := receipt.OpenCheckpoint(text, l.options.Keys())
	if err != nil {
		return head{},
			fmt.Errorf("what the folder of secrets says about how far the ledger was signed cannot be believed: %w; "+
				"put the folder back as it was", err)
	}
	return head{origin: c.Origin, size: c.Size, checkpoint: text, root: c.Root}, nil
}

// goesOn says why the ledger must not go on from a head, if it must not. The caller holds l.mu and
// has looked; a head without a name is that of a database without a ledger.
func (l *Ledger) goesOn(ctx context.Context, tx *store.Tx, h head) error {
	if err := l.decided(ctx, tx, h); err != nil {
		return err
	}
	last := l.known.last
	switch {
	case last.origin == "" || h.origin == last.origin && h.size == last.size && h.root == last.root:
	// we have made it of the last
	case h.origin == last.origin && l.edge != nil && l.latest.size == h.size && l.latest.root == h.root:
	case h.origin == "":
		return halt("the keys of this site have signed a ledger of %d entries (%s), and the database holds none. %s",
			last.size, last.origin, Advice)
	case h.origin != last.origin:
		after, err := followed(ctx, tx, last.origin)
		if err != nil {
			return err
		}
		if !after {
			return halt("the keys of this site have signed a ledger of %d entries named %s, and the database holds "+
				"another, or what it was before it had that name (%s). %s",
				last.size, last.origin, h.origin, Advice)
		}
	case h.size < last.size:
		return halt("the ledger in the database ends with %d entries, and %d were signed already (%s): the database "+
			"is older than that. %s",
			h.size, last.size, h.origin, Advice)
	default:
		if err := l.continues(ctx, tx, h); err != nil {
			return err
		}
	}
	l.known.last = h
	return nil
}

// halted is why a ledger does not go on, so that nothing more is signed.
type halted struct{ error }

func halt(format string, args ...any) error { return &halted{fmt.Errorf(format, args...)} }

func (h *halted) Unwrap() error { return h.error }

// inspectAge is goesOn for Inspect.
func (l *Ledger) inspectAge(ctx context.Context) error {
	if err := l.look(ctx); err != nil {
		return err
	}
	return l.db.View(ctx, func(tx *store.Tx) error {
		_, err := l.headThatGoesOn(ctx, tx)
		return err
	})
}

// headThatGoesOn reads the head, and refuses one that goesOn does. It has no name where there is no
// ledger.
func (l *Ledger) headThatGoesOn(ctx context.Context, tx *store.Tx) (head, error) {
	h, err := readHead(ctx, tx)
	if err != nil && !errors.Is(err, errNone) {
		return h, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return h, l.goesOn(ctx, tx, h)
}

// continues says whether a head that others have signed is of a tree that begins with what was
// seen.
func (l *Ledger) continues(ctx context.Context, tx *store.Tx, h head) error {
	if l.options.Keys != nil {
		if _, err := receipt.OpenCheckpoint(h.checkpoint, l.options.Keys()); err != nil {
			return err
		}
	}
	for _, c := range []head{l.known.last, h} {
		edge, err := receipt.OpenEdge(c.size, func(t receipt.Tile) ([]byte, error) { return readTile(ctx, tx, t) })
		if err != nil {
			return err
		}
		if edge.Root() != c.root {
			return halt("the first %d entries of the ledger in the database are not those that were signed (%s). %s",
				c.size, h.origin, Advice)
		}
	}
	return nil
}

// decided says whether the owner has still to decide how the ledger of a restored database goes on.
func (l *Ledger) decided(ctx context.Context, tx *store.Tx, h head) error {
	if l.known.restored == "" {
		return nil
	}
	mark, err := readState(ctx, tx, slotRestored)
	if err != nil {
		return err
	}
	unsigned := h.origin == "" && l.options.Keys != nil && len(l.options.Keys()) == 0 // by keys that nobody has
	if mark != l.known.restored && !unsigned {
		return halt("%w, with %d entries, or the end of its database's log was lost. If more were signed than it "+
			"holds, or nobody knows, "+
			"run `frontdesk ledger resume`: it goes on under a new name. If nothing was, run `frontdesk ledger "+
			"resume --complete`", ErrUndecided, h.size)
	}
	l.known.restored = ""
	return nil
}

// followed says whether a ledger of that name has another name by now.
func followed(ctx context.Context, tx *store.Tx, origin string) (bool, error) {
	size, err := readState(ctx, tx, slotFollowed+" "+origin)
	return size != "", err
}

// readState reads a slot of ledger_state; empty for none.
func readState(ctx context.Context, tx *store.Tx, slot string) (value string, err error) {
	err = tx.QueryRow(ctx, `SELECT value FROM ledger_state WHERE slot = $1`, slot).Scan(&value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", nil
	}
	return value, err
}

func setState(ctx context.Context, tx *store.Tx, slot, value string) error {
	_, err := tx.Exec(ctx, `INSERT INTO ledger_state (slot, value) VALUES ($1, $2) ON CONFLICT (slot) DO UPDATE SET value = $2`, slot, value)
	return err
}

// keep gives Options.Keep the latest checkpoint, if it is not the one that it has, and is one from
// which the ledger goes on.
func (l *Ledger) keep(ctx context.Context) error {
	l.saving.Lock()
	defer l.saving.Unlock()
	return l.saveLatest(ctx)
}

// vouch is for a head that is about to leave the process, in a receipt, say: it returns when that
// is kept, or a later one. Those who come while one is being kept wait, and are covered by the next
// together.
func (l *Ledger) vouch(ctx context.Context, h head) error {
	if l.options.SaveCheckpoint == nil || h.origin == "" {
		return nil
	}
	if l.saved.Load().covers(h) {
		return nil
	}
	l.saving.Lock()
	defer l.saving.Unlock()
	if l.saved.Load().covers(h) {
		return nil
	}
	err := l.saveLatest(ctx)
	var ended *halted
	switch {
	case errors.As(err, &ended): // nothing goes on from h before its owner says how
		return nil
	case err == nil || ctx.Err() != nil:
		return err
	}
	return fail.New(fail.Unavailable, "how far the ledger was signed cannot be kept at the moment, before which "+
		"nothing is given that it has signed; try again").After(5 * time.Second).Wrap(err)
}

// covers says whether who has seen h knows of other.
func (h *head) covers(other head) bool {
	return h != nil && h.origin == other.origin && h.size >= other.size
}

// saveLatest is keep for who has l.keeping.
func (l *Ledger) saveLatest(ctx context.Context) error {
	if err := l.look(ctx); err != nil {
		return err
	}
	h, err := store.Get(ctx, l.db, func(tx *store.Tx) (head, error) { return l.headThatGoesOn(ctx, tx) })
	if err != nil || l.options.SaveCheckpoint == nil {
		return err
	}
	if kept := l.saved.Load(); kept != nil && kept.checkpoint == h.checkpoint {
		return nil
	}
	if l.options.Keys != nil {
		if _, err := receipt.OpenCheckpoint(h.checkpoint, l.options.Keys()); err != nil {
			return &halted{err}
		}
	}
	last, err := l.recall()
	if err != nil {
		return err
	}
	// another process has kept it, or a later one
	if last.checkpoint == h.checkpoint || last.origin == h.origin && last.size > h.size {
		l.saved.Store(&last)
		return nil
	}
	if err := l.options.SaveCheckpoint(h.checkpoint); err != nil {
		return err
	}
	l.saved.Store(&h)
	return nil
}

// Resumption says how a ledger goes on whose database is older than what was signed, or may be.
type Resumption struct {
	// Complete says that nothing was signed since the backup was made: the ledger goes on under its
	// name. It is refused where that is known to be wrong.
	Complete bool
	// Name is the new name of a ledger that is not Complete, see receipt.CheckOrigin; empty for the
	// old one with the time behind it, which nobody had before.
	Name string
}

// Resume has a ledger go on that does not by itself (see Inspect), and records that in an entry of
// the kind ledger. Its entries stay and have the same places; receipts of before stay true under
// the name and the keys that signed them. It is fail.Invalid where the ledger goes on by itself, or
// not in this way.
func (l *Ledger) Resume(ctx context.Context, how Resumption) (Head, error) {
	if err := l.look(ctx); err != nil {
		return Head{}, err
	}
	err := l.db.UpdateSerial(ctx, "ledger", func(tx *store.Tx) error {
		l.mu.Lock()
		defer l.mu.Unlock()
		h, err := readHead(ctx, tx)
		if err != nil && !errors.Is(err, errNone) {
			return err
		}
		before := l.known
		err = l.goesOn(ctx, tx, h)
		l.known = before // what this transaction finds is not there before its end
		if err == nil {
			return fail.New(fail.Invalid, "the ledger goes on already; there is nothing to resume")
		}
		if before.restored != "" {
			if err := setState(ctx, tx, slotRestored, before.restored); err != nil {
				return err
			}
		}
		if how.Complete {
			return l.resumeComplete(ctx, tx, h)
		}
		return l.resumeAs(ctx, tx, h, how.Name)
	})
	l.mu.Lock()
	l.known, l.latest = known{}, head{} // a transaction that failed leaves nothing
	l.mu.Unlock()
	if err != nil {
		return Head{}, err
	}
	if err := l.sequenceNow(ctx); err != nil {
		return Head{}, err
	}
	if err := l.keep(ctx); err != nil {
		return Head{}, err
	}
	return l.Head(ctx)
}

// resumeComplete records that a restored ledger is whole, unless more is known.
func (l *Ledger) resumeComplete(ctx context.Context, tx *store.Tx, h head) error {
	before := l.known
	l.known.restored = ""
	err := l.goesOn(ctx, tx, h)
	l.known = before
	if err != nil {
		return fail.New(fail.Invalid, "this ledger is not complete: %v", err)
	}
	body := fmt.Sprintf(`{"restored":true,"complete":true,"entries":%d,"root":%q}`, h.size, h.root)
	return l.recordResumption(ctx, tx, cmp.Or(h.origin, l.options.Origin), body)
}

// resumeAs gives the ledger another name, with what it holds.
func (l *Ledger) resumeAs(ctx context.Context, tx *store.Tx, h head, name string) error {
	old := cmp.Or(h.origin, l.known.last.origin, l.options.Origin)
	if name == "" {
		name = laterName(old, l.now())
	}
	if err := receipt.CheckOrigin(name); err != nil {
		return fail.New(fail.Invalid, "%v", err)
	}
	taken, err := followed(ctx, tx, name)
	if err != nil {
		return err
	}
	if taken || name == old || name == l.known.last.origin {
		return fail.New(fail.Invalid, "a ledger has been named %s already: take a name that was never used", name)
	}
	for _, origin := range []string{old, l.known.last.origin} {
		if origin == "" {
			continue
		}
		if err := setState(ctx, tx, slotFollowed+" "+origin, strconv.FormatInt(h.size, 10)); err != nil {
			return err
		}
	}
	next := receipt.Checkpoint{Origin: name, Size: h.size, Root: h.root}
	if h.origin == "" {
		next.Root = new(receipt.Edge).Root()
	}
	signers := l.signers(name)
	if len(signers) == 0 {
		return fmt.Errorf("%w; put the folder with the site's keys back in its place", errNoKey)
	}
	signed, err := next.Sign(signers...)
	if err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `DELETE FROM ledger_head`); err != nil {
		return err
	}
	if err := l.swap(ctx, tx, false, h, next, signed); err != nil {
		return err
	}
	body := fmt.Sprintf(`{"follows":%q,"entries":%d,"root":%q}`, old, h.size, next.Root)
	if last := l.known.last; last.origin == old && last.size > h.size {
		body = fmt.Sprintf(`{"follows":%q,"entries":%d,"root":%q,"signed":%d}`, old, h.size, next.Root, last.size)
	}
	return l.recordResumption(ctx, tx, name, body)
}

// recordResumption writes the entry that tells how the ledger went on.
func (l *Ledger) recordResumption(ctx context.Context, tx *store.Tx, origin, body string) error {
	_, err := l.Append(ctx, tx, receipt.Entry{Kind: "ledger", Subject: origin, Body: []byte(body)})
	return err
}

// nameTime is the time that ends the names of ledgers that were resumed.
const nameTime = "20060102150405"

// laterName is a name for what follows a ledger, that nobody had before.
func laterName(origin string, now time.Time) string {
	if at := strings.LastIndexByte(origin, '/'); at > 0 {
		if _, err := time.Parse(nameTime, origin[at+1:]); err == nil {
			origin = origin[:at]
		}
	}
	return origin + "/" + now.UTC().Format(nameTime)
}
