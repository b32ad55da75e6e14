package receipt

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// Edge is the right edge of a tree: of each level the hashes of its last tile that is not full. It
// is all that is needed to add leaves and to know the root. The zero Edge is the empty tree.
type Edge struct {
	size   int64
	levels []partial
}

// partial is a tile that is not full.
type partial struct {
	hashes []byte
	// the roots of the largest full subtrees over the hashes, from the left: one for each bit of
	// their number
	subtrees []Hash
}

// add adds a hash, and says how many there are then.
func (p *partial) add(hash Hash) (n int) {
	if p.hashes == nil {
		p.hashes = make([]byte, 0, TileWidth*tlog.HashSize)
	}
	p.hashes = append(p.hashes, hash[:]...)
	n = len(p.hashes) / tlog.HashSize
	p.subtrees = joined(p.subtrees, hash, n)
	return n
}

// joined is the subtrees of a tile when a hash comes to them, with which there are n.
func joined(subtrees []Hash, hash Hash, n int) []Hash {
	for ; n%2 == 0; n /= 2 {
		last := len(subtrees) - 1
		hash, subtrees = tlog.NodeHash(subtrees[last], hash), subtrees[:last]
	}
	return append(subtrees, hash)
}

// OpenEdge reads the edge of a tree from its last tiles.
func OpenEdge(size int64, read func(Tile) ([]byte, error)) (*Edge, error) {
	e := &Edge{size: size}
	for level, n := 0, size; n > 0; level, n = level+1, n/TileWidth {
		last := Tile{Level: level, N: n / TileWidth, Width: int(n % TileWidth)}
		e.levels = append(e.levels, partial{})
		if last.Width == 0 {
			continue
		}
		data, err := read(last)
		if err != nil {
			return nil, err
		}
		if len(data) != last.Width*tlog.HashSize {
			return nil, fmt.Errorf("%s has %d bytes, and not %d", last.Path(), len(data), last.Width*tlog.HashSize)
		}
		for ; len(data) > 0; data = data[tlog.HashSize:] {
			e.levels[level].add(Hash(data[:tlog.HashSize]))
		}
	}
	return e, nil
}

// Size is how many leaves there are.
func (e *Edge) Size() int64 { return e.size }

// Append adds a leaf. full gets every tile that this completes, with its hashes, which are full's
// only until it returns.
func (e *Edge) Append(leaf Hash, full func(Tile, []byte) error) error {
	e.size++
	for level, n := 0, e.size; ; level++ {
		if level == len(e.levels) {
			e.levels = append(e.levels, partial{})
		}
		tile := &e.levels[level]
		if tile.add(leaf) < TileWidth {
			return nil
		}
		n /= TileWidth
		if err := full(Tile{Level: level, N: n - 1, Width: TileWidth}, tile.hashes); err != nil {
			return err
		}
		leaf, tile.hashes, tile.subtrees = tile.subtrees[0], tile.hashes[:0], tile.subtrees[:0]
	}
}

// Partial gives the tiles that are not full, with their hashes, the lowest level first.
func (e *Edge) Partial(fn func(Tile, []byte) error) error {
	for level, n := 0, e.size; level < len(e.levels); level, n = level+1, n/TileWidth {
		if hashes := e.levels[level].hashes; len(hashes) > 0 {
			if err := fn(Tile{Level: level, N: n / TileWidth, Width: len(hashes) / tlog.HashSize}, hashes); err != nil {
				return err
			}
		}
	}
	return nil
}

// Root is the root of the tree (RFC 6962 §2.1).
func (e *Edge) Root() Hash {
	root, any := Hash(sha256.Sum256(nil)), false
	for _, tile := range e.levels { // from the leaves on the right to the large subtrees on the left
		for _, subtree := range slices.Backward(tile.subtrees) {
			if any {
				subtree = tlog.NodeHash(subtree, root)
			}
			root, any = subtree, true
		}
	}
	return root
}

// RootWith is the root that the tree would have with one leaf more.
func (e *Edge) RootWith(leaf Hash) Hash {
	var grown Edge
	for level, more := 0, true; more || level < len(e.levels); level++ {
		var tile partial
		if level < len(e.levels) {
			tile = e.levels[level]
		}
		if more {
			n := len(tile.hashes)/tlog.HashSize + 1
			tile.subtrees = joined(slices.Clone(tile.subtrees), leaf, n)
			if more = n == TileWidth; more {
				leaf, tile.subtrees = tile.subtrees[0], nil
			}
		}
		grown.levels = append(grown.levels, tile)
	}
	return grown.Root()
}

// TileRoot is the hash of the subtree over a full tile, which the level above holds.
func TileRoot(hashes []byte) Hash { return foldHashes(hashes) }

// foldHashes is the hash of the tree over some hashes, whose number is a power of two.
func foldHashes(hashes []byte) Hash {
	if len(hashes) == tlog.HashSize {
		return Hash(hashes)
	}
	half := len(hashes) / 2
	return tlog.NodeHash(foldHashes(hashes[:half]), foldHashes(hashes[half:]))
}
