package ledger

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"frontdesk/internal/infra/store"
	"frontdesk/wire/receipt"
)

// Finding is one fault of the ledger.
type Finding struct {
	Where   string `json:"where"` // "entry 17", "tile/0/003", "checkpoint", ...
	Problem string `json:"problem"`
}

// Report is what Check found.
type Report struct {
	Origin   string    `json:"origin"`
	Entries  int64     `json:"entries"` // that the checkpoint counts
	Waiting  int64     `json:"waiting"` // that have no place yet
	Tiles    int64     `json:"tiles"`
	Findings []Finding `json:"findings"`
}

// maxFindings is how many are told at most.
const maxFindings = 1000

// Check derives the whole ledger anew from its entries, and says everything that is not as it must
// be. It goes from what is signed to what is not: the checkpoint vouches for the right edge of the
// tree, each tile for those below, the last for the entries, so that what was changed can be told
// from what was not. It reads everything, as of one moment. That the whole is older than what was
// signed (see Resume) is a finding, too.
func (l *Ledger) Check(ctx context.Context) (Report, error) {
	if err := l.look(ctx); err != nil {
		return Report{}, err
	}
	var c *checking
	err := l.db.View(ctx, func(tx *store.Tx) error {
		c = &checking{ctx: ctx, tx: tx}
		if err := c.run(l.options.Keys); err != nil {
			return err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		if err := l.goesOn(ctx, tx, c.head); err != nil && len(c.report.Findings) == 0 {
			c.found("ledger", "%v", err)
		}
		return ctx.Err()
	})
	if c == nil {
		return Report{}, err
	}
	return c.report, err
}

// checking is one run of Check.
type checking struct {
	ctx    context.Context
	tx     *store.Tx
	head   head
	report Report
	// vouched[level] is what the tree's level of that number holds, as far as it is known: the
	// hashes that its tiles list.
	vouched map[int][]byte
	stored  map[int]map[int64][]byte // tiles above level 0, as they are stored
}

func (c *checking) found(where, problem string, args ...any) {
	switch n := len(c.report.Findings); {
	case n < maxFindings:
		c.report.Findings = append(c.report.Findings, Finding{where, fmt.Sprintf(problem, args...)})
	case n == maxFindings:
		c.report.Findings = append(c.report.Findings,
			Finding{"ledger", "there is more that is not as it must be; only the first is told"})
	}
}

const hashSize = len(receipt.Hash{})

func (c *checking) run(keys func() receipt.Keys) error {
	h, err := readHead(c.ctx, c.tx)
	switch {
	case errors.Is(err, errNone):
		return c.empty()
	case err != nil:
		c.found("checkpoint", "%v", err)
		return c.ctx.Err()
	}
	c.head, c.report.Origin, c.report.Entries = h, h.origin, h.size
	var heads int
	if err := c.tx.QueryRow(c.ctx, `SELECT COUNT(*) FROM ledger_head`).Scan(&heads); err != nil {
		return err
	}
	if heads > 1 {
		c.found("checkpoint", "there are %d of them, and a ledger has one", heads)
	}
	if keys != nil {
		if err := receipt.AllSigned(h.checkpoint, keys()); err != nil {
			c.found("checkpoint", "%v", err)
		}
	}
	if err := c.readTiles(); err != nil {
		return err
	}
	if err := c.checkEdge(); err != nil {
		return err
	}
	if err := c.checkUpper(); err != nil {
		return err
	}
	if err := c.checkEntries(); err != nil {
		return err
	}
	return c.checkIDs()
}

// empty is a store in which no ledger was begun.
func (c *checking) empty() error {
	var tiles int64
	if err := c.tx.QueryRow(c.ctx, `SELECT COUNT(*) FROM ledger_tile`).Scan(&tiles); err != nil {
		return err
	}
	if tiles > 0 {
		c.found("checkpoint", "it is missing, though there are %d tiles", tiles)
	}
	var err error
	c.report.Waiting, err = waiting(c.ctx, c.tx, 0)
	return err
}

// readTiles reads the tiles above level 0, and finds those that are missing or too many at any
// level.
func (c *checking) readTiles() error {
	widths := map[int]map[int64]int{}
	_ = receipt.Tiles(c.head.size, func(t receipt.Tile) error {
		if widths[t.Level] == nil {
			widths[t.Level] = map[int64]int{}
		}
		widths[t.Level][t.N] = t.Width
		return nil
	})
	c.stored, c.vouched = map[int]map[int64][]byte{}, map[int][]byte{}
	rows, err := c.tx.Query(c.ctx, `SELECT level, n, LENGTH(hashes), CASE WHEN level > 0 THEN hashes END FROM ledger_tile ORDER BY level, n`)
	if err != nil {
		return err
	}
	defer rows.Close()
	var t receipt.Tile
	length, hashes, gap := 0, []byte(nil), false // of the tile, to the first gap between its rows
	done := func() {
		c.report.Tiles++
		width := widths[t.Level][t.N]
		name := receipt.Tile{Level: t.Level, N: t.N, Width: receipt.TileWidth}.Path()
		switch {
		case width == 0:
			c.found(name, "it is no tile of a ledger of %d entries", c.head.size)
		case length != width*hashSize:
			c.found(name, "it has %d bytes, and should have %d", length, width*hashSize)
		case gap:
			c.found(name, "it has a row that does not belong to it")
		}
		delete(widths[t.Level], t.N)
		if t.Level > 0 {
			if c.stored[t.Level] == nil {
				c.stored[t.Level] = map[int64][]byte{}
			}
			c.stored[t.Level][t.N] = hashes
		}
	}
	for rows.Next() {
		var level, bytes int
		var row int64
		var some []byte
		if err := rows.Scan(&level, &row, &bytes, &some); err != nil {
			return err
		}
		if of := (receipt.Tile{Level: level, N: row / rowsOfTile, Width: receipt.TileWidth}); of != t {
			if t.Width > 0 {
				done()
			}
			t, length, hashes, gap = of, 0, nil, false
		}
		if gap = gap || length != int(row%rowsOfTile)*inRow*hashSize; !gap {
			length, hashes = length+bytes, append(hashes, some...)
		}
	}
	if t.Width > 0 {
		done()
	}
	for level := range widths {
		for n := range widths[level] {
			c.found(receipt.Tile{Level: level, N: n, Width: receipt.TileWidth}.Path(), "it is missing")
		}
	}
	return rows.Err()
}

// tile gives a tile as it is stored, cut or filled with zeros to its width.
func (c *checking) tile(t receipt.Tile) ([]byte, error) {
	hashes := c.stored[t.Level][t.N]
	if t.Level == 0 {
		var err error
		if hashes, err = readTile(c.ctx, c.tx, t); err != nil && c.ctx.Err() != nil {
			return nil, err
		}
	}
	whole := make([]byte, t.Width*hashSize)
	copy(whole, hashes)
	return whole, nil
}

// rebuilt gives a tile as what is below it says: the roots of tiles, or the hashes of entries.
func (c *checking) rebuilt(t receipt.Tile) ([]byte, error) {
	var hashes []byte
	if t.Level == 0 {
		err := c.leaves(t.N*receipt.TileWidth, int64(t.Width), func(_ int64, _ int64, leaf []byte) {
			hash := receipt.LeafHash(leaf)
			hashes = append(hashes, hash[:]...)
		})
		return hashes, err
	}
	for i := range int64(t.Width) {
		below, err := c.tile(receipt.Tile{Level: t.Level - 1, N: t.N*receipt.TileWidth + i, Width: receipt.TileWidth})
		if err != nil {
			return nil, err
		}
		hash := receipt.TileRoot(below)
		hashes = append(hashes, hash[:]...)
	}
	return hashes, nil
}

// leaves reads entries in their places; fn gets index, tag and leaf.
func (c *checking) leaves(from, n int64, fn func(index, tag int64, leaf []byte)) error {
	return c.tx.Each(c.ctx, `SELECT place, tag, leaf FROM ledger_entry WHERE place > $1 AND place <= $2 ORDER BY place`,
		func(row store.Scanner) error {
			var place, tag int64
			var leaf []byte
			if err := row.Scan(&place, &tag, &leaf); err != nil {
				return err
			}
			fn(place-1, tag, leaf)
			return nil
		}, from, from+n)
}

// checkEdge compares the right edge of the tree with the signed root, and finds which tile of it
// was changed.
func (c *checking) checkEdge() error {
	edge := map[int][]byte{}
	var last []receipt.Tile
	for level, n := 0, c.head.size; n > 0; level, n = level+1, n/receipt.TileWidth {
		if t := (receipt.Tile{Level: level, N: n / receipt.TileWidth, Width: int(n % receipt.TileWidth)}); t.Width > 0 {
			hashes, err := c.tile(t)
			if err != nil {
				return err
			}
			edge[level], last = hashes, append(last, t)
		}
	}
	root := func() (receipt.Hash, error) {
		e, err := receipt.OpenEdge(c.head.size, func(t receipt.Tile) ([]byte, error) { return edge[t.Level], nil })
		if err != nil {
			return receipt.Hash{}, err
		}
		return e.Root(), nil
	}
	c.vouch(edge)
	if got, err := root(); err != nil || got == c.head.root {
		return err
	}
	for _, t := range last {
		was := edge[t.Level]
		again, err := c.rebuilt(t)
		if err != nil {
			return err
		}
		if len(again) == len(was) {
			edge[t.Level] = again
			if got, err := root(); err == nil && got == c.head.root {
				c.found(t.Path(), "it was changed: it does not lead to the root that the checkpoint signs, and what "+
					"is below it does")
				c.vouch(edge)
				return nil
			}
		}
		edge[t.Level] = was
	}
	c.found("checkpoint", "its root is not that of the tree: it was changed, or more than one tile or entry was")
	return nil
}

// vouch notes the last tile of each level.
func (c *checking) vouch(edge map[int][]byte) {
	for level, hashes := range edge {
		n := c.head.size >> (receipt.TileHeight * level)
		all := make([]byte, n*int64(hashSize))
		copy(all[int64(len(all)-len(hashes)):], hashes)
		if level > 0 { // of level 0 only the last tile is kept
			c.vouched[level] = all
		} else {
			c.vouched[0] = hashes
		}
	}
}

// checkUpper goes through the full tiles above level 0, from the top down.
func (c *checking) checkUpper() error {
	top := 0
	for n := c.head.size; n >= receipt.TileWidth; n /= receipt.TileWidth {
		top++
	}
	for level := top; level > 0; level-- {
		count := c.head.size >> (receipt.TileHeight * level)
		if c.vouched[level] == nil { // it ends with a full tile
			c.vouched[level] = make([]byte, count*int64(hashSize))
		}
		for n := range count / receipt.TileWidth {
			t := receipt.Tile{Level: level, N: n, Width: receipt.TileWidth}
			hashes, err := c.settle(t)
			if err != nil {
				return err
			}
			copy(c.vouched[level][n*receipt.TileWidth*int64(hashSize):], hashes)
		}
	}
	return nil
}

// settle says what a full tile holds by the word of the level above. If the tile does not, it is
// found.
func (c *checking) settle(t receipt.Tile) (hashes []byte, err error) {
	above := c.vouched[t.Level+1][t.N*int64(hashSize):][:hashSize]
	if hashes, err = c.tile(t); err != nil {
		return nil, err
	}
	if root := receipt.TileRoot(hashes); bytes.Equal(root[:], above) {
		return hashes, nil
	}
	again, err := c.rebuilt(t)
	if err != nil {
		return nil, err
	}
	if len(again) == len(hashes) {
		if root := receipt.TileRoot(again); bytes.Equal(root[:], above) {
			c.found(t.Path(), "it was changed: the tile above it does not have its hash, but that of what is below it")
			return again, nil
		}
	}
	c.found(t.Path(), "neither it nor what is below it has the hash that the tile above it has")
	return hashes, nil
}

// checkEntries compares the entries with the tiles of level 0.
func (c *checking) checkEntries() error {
	var hashes []byte // of the tile that the entry is in
	expected, tile := int64(0), int64(-1)
	type row struct {
		index, tag int64
		leaf       []byte
	}
	const batch = 16 * receipt.TileWidth
	for from := int64(0); ; from += batch {
		var rows []row
		err := c.leaves(from, batch, func(index, tag int64, leaf []byte) { rows = append(rows, row{index, tag, leaf}) })
		if err != nil {
			return err
		}
		for _, r := range rows {
			for ; expected < r.index; expected++ {
				c.found(fmt.Sprintf("entry %d", expected), "it is missing")
			}
			expected = r.index + 1
			if r.index < c.head.size && tile != r.index/receipt.TileWidth {
				tile = r.index / receipt.TileWidth
				if hashes, err = c.levelZero(tile); err != nil {
					return err
				}
			}
			c.checkEntry(r.index, r.tag, r.leaf, hashes)
		}
		if from+batch < c.head.size {
			continue
		}
		if len(rows) < batch {
			break
		}
	}
	for ; expected < c.head.size; expected++ {
		c.found(fmt.Sprintf("entry %d", expected), "it is missing")
	}
	var err error
	c.report.Waiting, err = waiting(c.ctx, c.tx, c.head.size)
	return err
}

// levelZero gives the hashes of a tile of level 0 by the word of what is above it.
func (c *checking) levelZero(n int64) ([]byte, error) {
	if n == c.head.size/receipt.TileWidth {
		return c.vouched[0], nil
	}
	hashes, err := c.settle(receipt.Tile{N: n, Width: receipt.TileWidth})
	return hashes, err
}

func (c *checking) checkEntry(index, tag int64, leaf, hashes []byte) {
	where := fmt.Sprintf("entry %d", index)
	if at := int(index%receipt.TileWidth) * hashSize; index < c.head.size {
		if hash := receipt.LeafHash(leaf); !bytes.Equal(hash[:], hashes[at:at+hashSize]) {
			c.found(where, "it was changed: its hash is not the one in the tree")
			return
		}
	}
	e, err := receipt.ParseLeaf(leaf)
	if err != nil {
		c.found(where, "%v", err)
		return
	}
	if want, err := tagOf(e.ID); err != nil || want != tag {
		c.found(where, "it cannot be found by its id %s", e.ID)
	}
}

// checkIDs finds ids that stand twice.
func (c *checking) checkIDs() error {
	seen := map[string]bool{}
	return c.tx.Each(c.ctx, `SELECT tag, leaf FROM ledger_entry WHERE tag IN (SELECT tag FROM ledger_entry GROUP BY tag HAVING COUNT(*) > 1)
			OR tag IN (SELECT tag FROM ledger_pending)
		UNION ALL SELECT tag, leaf FROM ledger_pending WHERE tag IN (SELECT tag FROM ledger_entry)`,
		func(row store.Scanner) error {
			var tag int64
			var leaf []byte
			if err := row.Scan(&tag, &leaf); err != nil {
				return err
			}
			e, err := receipt.ParseEntry(leaf)
			if err != nil {
				return nil // it was found before
			}
			if seen[e.ID] {
				c.found("id "+e.ID, "more than one entry has it")
			}
			seen[e.ID] = true
			return nil
		})
}
