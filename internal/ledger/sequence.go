package ledger

import (
	"bytes"
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/sumdb/note"

	"frontdesk/internal/infra/fail"
	"frontdesk/internal/infra/store"
	"frontdesk/wire/receipt"
)

const (
	// most is how many entries one round of the sequencer takes.
	most = 16 << 10
	// Delay is the longest that a durable entry waits for its place while a sequencer runs.
	Delay = time.Second
	// pace is how long after one round of the sequencer the next begins at the earliest. Each costs
	// a transaction, however many entries it takes, and they wait for their places, not for it.
	pace = 100 * time.Millisecond
)

// head is the row of ledger_head.
type head struct {
	origin     string
	size       int64
	checkpoint string
	root       receipt.Hash
}

// errChanged is what a sequencer finds that built on a checkpoint that is not the latest any more.
var errChanged = errors.New("another sequencer was faster")

// errNone is what is found where no ledger was begun.
var errNone = errors.New("there is no ledger yet")

// errNoKey is what a sequencer finds that cannot sign.
var errNoKey = errors.New("there is no key to sign the ledger with")

// signers are the keys that sign a ledger, if there are any.
func (l *Ledger) signers(origin string) []note.Signer {
	if l.options.Signers == nil {
		return nil
	}
	return l.options.Signers(origin)
}

// readHead reads the latest checkpoint. That it is ours is for Open and Check to say.
func readHead(ctx context.Context, tx *store.Tx) (h head, err error) {
	err = tx.QueryRow(ctx, `SELECT origin, size, checkpoint FROM ledger_head`).Scan(&h.origin, &h.size, &h.checkpoint)
	if errors.Is(err, sql.ErrNoRows) {
		return h, errNone
	}
	if err != nil {
		return h, err
	}
	text, _, _ := strings.Cut(h.checkpoint, "\n\n")
	c, err := receipt.ParseCheckpoint(text + "\n")
	if err == nil && (c.Size != h.size || c.Origin != h.origin) {
		err = errors.New("the row and its checkpoint say different things")
	}
	if err != nil {
		return h, fmt.Errorf("the head of the ledger is damaged: %w; put back a backup", err)
	}
	h.root = c.Root
	return h, nil
}

// Inspect refuses a ledger with which one must not go on: one whose key is not there, that has lost
// its head, or that is older than what was signed (see Resume). It is for the start of a server,
// before anything makes a new key.
func (l *Ledger) Inspect(ctx context.Context) error {
	var h head
	var tiles, last int64
	err := l.db.View(ctx, func(tx *store.Tx) (err error) {
		if h, err = readHead(ctx, tx); !errors.Is(err, errNone) {
			if err == nil {
				err = tx.QueryRow(ctx, `SELECT COALESCE(MAX(place), 0) FROM ledger_entry`).Scan(&last)
			}
			return err
		}
		return tx.QueryRow(ctx, `SELECT COUNT(*) FROM ledger_tile`).Scan(&tiles)
	})
	switch {
	case err != nil:
		return err
	case h.origin == "" && tiles > 0:
		return errors.New("the database holds a ledger that has lost its head, so that nothing in it can be proved: " +
			"put back a backup, or take another database")
	case last < h.size: // what is appended next would take the place of what is missing
		return fmt.Errorf("the last entries of the ledger are missing: it was signed with %d, and the database has "+
			"them to number %d. "+
			"Put back a backup; `frontdesk ledger audit` says more", h.size, last)
	case h.origin == "" || l.options.Keys == nil:
		return l.inspectAge(ctx)
	}
	if _, err := receipt.OpenCheckpoint(h.checkpoint, l.options.Keys()); err != nil {
		return fmt.Errorf("the database holds a ledger of %d entries (%s) that no key of this site has signed: %w. "+
			"Put the folder with the site's keys "+
			"back in its place (the key `keys` of the configuration names it, and a backup holds it), or take the "+
			"database that belongs to these keys", h.size, h.origin, err)
	}
	return l.inspectAge(ctx)
}

// Run is the sequencer: it gives places to entries until ctx ends. On SQLite there is little left
// for it, but what a process without the keys has appended.
func (l *Ledger) Run(ctx context.Context) {
	pause := time.NewTicker(Delay)
	defer pause.Stop()
	failed := ""
	defer func() { _ = l.keep(context.WithoutCancel(ctx)) }() // and where that fails, what was kept before is not wrong
	for ticked := true; ; {
		began := time.Now()
		sequence := l.sequenceNow // which somebody has asked for
		if ticked {
			sequence = l.sequenceWaiting
		}
		err := sequence(ctx)
		if err == nil && ticked {
			err = l.keep(ctx)
		}
		ticked = false
		switch {
		case err == nil:
			failed = ""
		case ctx.Err() == nil && err.Error() != failed:
			failed = err.Error()
			l.log.ErrorContext(ctx, "entries of the ledger wait for their places", "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-l.wake:
			select {
			case <-ctx.Done():
			case <-time.After(pace - time.Since(began)):
			}
		case <-pause.C:
			ticked = true
		}
	}
}

// rouse has Run look at once.
func (l *Ledger) rouse() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// sequenceWaiting is sequenceNow where there is something to do, which a look tells.
func (l *Ledger) sequenceWaiting(ctx context.Context) error {
	idle := false
	err := l.db.View(ctx, func(tx *store.Tx) error {
		h, err := readHead(ctx, tx)
		if err != nil {
			return err
		}
		n, err := waiting(ctx, tx, h.size)
		if err != nil || n > 0 {
			return err
		}
		idle = signedBy(l.signers(h.origin), h.checkpoint)
		return nil
	})
	if idle || err != nil && !errors.Is(err, errNone) {
		return err
	}
	return l.sequenceNow(ctx)
}

// signedBy says whether a checkpoint bears the signatures of these signers and no others.
func signedBy(signers []note.Signer, checkpoint string) bool {
	var hashes []uint32
	for _, s := range signers {
		hashes = append(hashes, s.KeyHash())
	}
	return slices.Equal(hashes, receipt.SignedBy(checkpoint))
}

// sequenceNow gives places to all entries that wait.
func (l *Ledger) sequenceNow(ctx context.Context) error {
	if err := l.look(ctx); err != nil {
		return err
	}
	for {
		n := 0
		err := l.db.UpdateSerial(ctx, "ledger", func(tx *store.Tx) (err error) {
			n, err = l.sequence(ctx, tx, true)
			return err
		})
		if err == nil {
			err = l.injectFault("commit done")
		}
		if n > 0 && err == nil {
			l.announce()
		}
		if err != nil || n < most {
			return err
		}
	}
}

// sequenceWithin is what a transaction on SQLite does at its end.
func (l *Ledger) sequenceWithin(tx *store.Tx) error {
	err := l.look(context.Background())
	if err == nil {
		_, err = l.sequence(context.Background(), tx, false)
	}
	if err != nil && !errors.Is(err, errNoKey) {
		l.log.Error("entries of the ledger wait for their places", "error", err)
	}
	return err
}

// sequence gives places to entries that have none, and signs the tree that there is then. It gives
// how many it placed.
func (l *Ledger) sequence(ctx context.Context, tx *store.Tx, move bool) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !move {
		if n, err := l.extend(ctx, tx); n > 0 || err != nil {
			return n, err
		}
	}
	h, err := readHead(ctx, tx)
	started := !errors.Is(err, errNone)
	if started && err != nil {
		return 0, err
	}
	if err := l.goesOn(ctx, tx, h); err != nil {
		return 0, err
	}
	if !started {
		h = head{origin: l.options.Origin}
	}
	signers := l.signers(h.origin)
	// a command that has no part in the site's keys: nothing is written, so that nothing has to be
	// undone
	if len(signers) == 0 {
		return 0, errNoKey
	}
	if !started {
		if err := setState(ctx, tx, slotRestored, l.known.mark); err != nil {
			return 0, err
		}
	}
	leaves, err := unplaced(ctx, tx, h.size)
	if err != nil {
		return 0, err
	}
	if move && len(leaves) < most {
		moved, err := l.place(ctx, tx, h.size+int64(len(leaves)))
		if err != nil {
			return 0, err
		}
		leaves = append(leaves, moved...)
	}
	if len(leaves) == 0 && started && signedBy(signers, h.checkpoint) {
		return 0, nil
	}
	edge, err := l.edgeOf(ctx, tx, h)
	if err == nil {
		err = l.put(ctx, tx, started, h, edge, leaves, signers)
	}
	return len(leaves), err
}

// extend is sequence where nobody else has signed since this process did, which is told by the
// write itself: what is there need not be read. It gives 0, and has written nothing, where it is
// not known to be so.
func (l *Ledger) extend(ctx context.Context, tx *store.Tx) (int, error) {
	h, edge := l.latest, l.edge
	if edge == nil || h.checkpoint == "" || l.known.restored != "" {
		return 0, nil
	}
	signers := l.signers(h.origin)
	leaves, err := unplaced(ctx, tx, h.size)
	if err != nil || len(leaves) == 0 || len(signers) == 0 {
		return 0, nil // sequence knows what that means
	}
	err = l.put(ctx, tx, true, h, edge, leaves, signers)
	if errors.Is(err, errChanged) {
		return 0, nil
	}
	if err == nil {
		l.known.last = h // which is not sooner known to be there
	}
	return len(leaves), err
}

// put adds leaves to the tree of a head, whose edge it is given, and writes what this changes. It
// is errChanged, and has written nothing, where the head is not the latest any more.
func (l *Ledger) put(ctx context.Context, tx *store.Tx, started bool, h head, edge *receipt.Edge, leaves [][]byte,
	signers []note.Signer) error {
	l.edge = nil // until what is made of it is written
	tiles, err := grow(edge, h.size, leaves)
	if err != nil {
		return err
	}
	next := receipt.Checkpoint{Origin: h.origin, Size: edge.Size(), Root: edge.Root()}
	signed, err := l.sign(next, signers)
	if err != nil {
		return err
	}
	if err := l.swap(ctx, tx, started, h, next, signed); err != nil {
		return err
	}
	for _, t := range tiles {
		if err := l.injectFault("tile"); err != nil {
			return err
		}
		if err := writeTile(ctx, tx, t.Tile, t.hashes, h.size>>(receipt.TileHeight*t.Level)); err != nil {
			return err
		}
		if err := l.injectFault("tile done"); err != nil {
			return err
		}
	}
	l.edge, l.latest = edge, head{origin: next.Origin, size: next.Size, checkpoint: signed, root: next.Root}
	l.ahead.expected, l.ahead.appended = len(leaves), 0
	return nil
}

// swap puts the next checkpoint in the place of the one that it was built on, and of no other.
func (l *Ledger) swap(ctx context.Context, tx *store.Tx, started bool, h head, next receipt.Checkpoint,
	signed string) error {
	if err := l.injectFault("head"); err != nil {
		return err
	}
	now := store.Micros(l.now())
	if !started {
		if _, err := tx.Exec(ctx, `INSERT INTO ledger_head (origin, size, checkpoint, signed) VALUES ($1, $2, $3, $4)`, next.Origin, next.Size, signed, now); err != nil {
			return err
		}
		return l.injectFault("head done")
	}
	n, err := tx.Exec(ctx, `UPDATE ledger_head SET size = $1, checkpoint = $2, signed = $3 WHERE size = $4 AND checkpoint = $5`, next.Size, signed, now, h.size, h.checkpoint)
	if err == nil && n != 1 {
		err = errChanged
	}
	if err != nil {
		return err
	}
	return l.injectFault("head done")
}

// selectUnplaced names its limit in the text: SQLite plans a statement anew each time whose limit
// is a parameter.
var selectUnplaced = fmt.Sprintf(`SELECT place, leaf FROM ledger_entry WHERE place > $1 ORDER BY place LIMIT %d`, most)

// unplaced reads the leaves behind the end of the tree, in their places.
func unplaced(ctx context.Context, tx *store.Tx, size int64) ([][]byte, error) {
	next := size
	return store.All(ctx, tx, selectUnplaced, func(row store.Scanner) (leaf []byte, err error) {
		var place int64
		if err := row.Scan(&place, &leaf); err != nil {
			return nil, err
		}
		if place != next+1 {
			return nil, fail.New(fail.Internal, "the ledger has a gap: entry %d is missing; put back a backup", next)
		}
		next = place
		return leaf, nil
	}, size)
}

// place gives the next places to entries that have none, in the order of their ids.
func (l *Ledger) place(ctx context.Context, tx *store.Tx, size int64) ([][]byte, error) {
	if err := l.injectFault("take"); err != nil {
		return nil, err
	}
	type pending struct {
		id   string
		tag  int64
		leaf []byte
	}
	all, err := store.All(ctx, tx, `DELETE FROM ledger_pending
		WHERE id IN (SELECT id FROM ledger_pending ORDER BY id LIMIT $1) RETURNING id, tag, leaf`,
		func(row store.Scanner) (p pending, err error) {
			err = row.Scan(&p.id, &p.tag, &p.leaf)
			return p, err
		}, most)
	if err := errors.Join(err, l.injectFault("take done")); err != nil || len(all) == 0 {
		return nil, err
	}
	slices.SortFunc(all, func(a, b pending) int { return cmp.Compare(a.id, b.id) })
	if err := l.injectFault("place"); err != nil {
		return nil, err
	}
	leaves := make([][]byte, len(all))
	_, err = tx.BulkInsert(ctx, "ledger_entry", []string{"place", "tag", "leaf"}, func(yield func([]any) bool) {
		for i, p := range all {
			leaves[i] = p.leaf
			if !yield([]any{size + int64(i) + 1, p.tag, p.leaf}) {
				return
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return leaves, l.injectFault("place done")
}

// edgeOf gives the edge of the tree of a head, which is read where this process has not written it.
func (l *Ledger) edgeOf(ctx context.Context, tx *store.Tx, h head) (*receipt.Edge, error) {
	if l.edge != nil && l.latest.size == h.size && l.latest.root == h.root {
		return l.edge, nil
	}
	edge, err := receipt.OpenEdge(h.size, func(t receipt.Tile) ([]byte, error) { return readTile(ctx, tx, t) })
	if err == nil && h.size > 0 && edge.Root() != h.root {
		err = fail.New(fail.Internal, "the tiles of the ledger are not those of its checkpoint of %d entries; "+
			"`frontdesk ledger audit` says which", h.size)
	}
	return edge, err
}

// written is a tile that is to be written.
type written struct {
	receipt.Tile
	hashes []byte
}

// grow adds leaves to a tree of a size, and gives the tiles that this changes.
func grow(edge *receipt.Edge, size int64, leaves [][]byte) (tiles []written, err error) {
	for _, leaf := range leaves {
		err := edge.Append(receipt.LeafHash(leaf), func(t receipt.Tile, hashes []byte) error {
			tiles = append(tiles, written{t, bytes.Clone(hashes)})
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	width := int64(receipt.TileWidth)
	return tiles, edge.Partial(func(t receipt.Tile, hashes []byte) error {
		// else no tile below was completed, so that nothing was added here
		if t.Level == 0 || edge.Size()/width > size/width {
			tiles = append(tiles, written{t, hashes})
		}
		return nil
	})
}

// inRow is how many hashes are in a row of ledger_tile, and rowsOfTile how many rows are in a tile.
const (
	inRow      = 16
	rowsOfTile = receipt.TileWidth / inRow
)

// writeTile writes the hashes of a tile whose level had so many hashes before, which were written
// then.
func writeTile(ctx context.Context, tx *store.Tx, t receipt.Tile, hashes []byte, before int64) error {
	for row := t.N * rowsOfTile; len(hashes) > 0; row++ {
		some := hashes[:min(len(hashes), inRow*hashSize)]
		hashes = hashes[len(some):]
		if row < before/inRow {
			continue
		}
		if _, err := tx.Exec(ctx, `INSERT INTO ledger_tile (level, n, hashes) VALUES ($1, $2, $3) ON CONFLICT (level, n) DO UPDATE SET hashes = EXCLUDED.hashes`,
			t.Level, row, bytes.Clone(some)); err != nil {
			return err
		}
	}
	return nil
}

// readTile reads the hashes of a tile.
func readTile(ctx context.Context, tx *store.Tx, t receipt.Tile) ([]byte, error) {
	whole, err := wholeTiles(ctx, tx, []receipt.Tile{t})
	if err != nil {
		return nil, err
	}
	return whole[0][:t.Width*hashSize], nil
}

// wholeTiles reads the hashes of tiles, and those that have come since.
func wholeTiles(ctx context.Context, tx *store.Tx, tiles []receipt.Tile) ([][]byte, error) {
	if len(tiles) == 0 {
		return nil, nil
	}
	var query strings.Builder
	var args []any
	for i, t := range tiles {
		if i > 0 {
			query.WriteString(" UNION ALL ")
		}
		fmt.Fprintf(&query, `SELECT level, n, hashes FROM ledger_tile WHERE level = $%d AND n >= $%d AND n < $%d`, len(args)+1, len(args)+2, len(args)+3)
		args = append(args, t.Level, t.N*rowsOfTile, (t.N+1)*rowsOfTile)
	}
	parts := make([][rowsOfTile][]byte, len(tiles)) // the rows come in any order
	err := tx.Each(ctx, query.String(), func(row store.Scanner) error {
		var level int
		var at int64
		var hashes []byte
		if err := row.Scan(&level, &at, &hashes); err != nil {
			return err
		}
		for i, t := range tiles {
			if t.Level == level && t.N == at/rowsOfTile {
				parts[i][at%rowsOfTile] = hashes
			}
		}
		return nil
	}, args...)
	if err != nil {
		return nil, err
	}
	whole := make([][]byte, len(tiles))
	for i, t := range tiles {
		for _, part := range parts[i] {
			whole[i] = append(whole[i], part...)
			if len(part) != inRow*hashSize {
				break // the last row, or one that is damaged
			}
		}
		if len(whole[i]) < t.Width*hashSize {
			return nil, fail.New(fail.Internal, "the %s of the ledger is not whole; `frontdesk ledger audit` says more",
				t.Path())
		}
	}
	return whole, nil
}

// announce tells those who follow that there are new entries.
func (l *Ledger) announce() {
	l.checkedAt.Lock()
	defer l.checkedAt.Unlock()
	close(l.news)
	l.news = make(chan struct{})
}
