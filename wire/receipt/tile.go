package receipt

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"
)

// TileWidth is how many hashes a full tile has, and TileHeight how many levels of the tree that
// makes.
const (
	TileHeight = 8
	TileWidth  = 1 << TileHeight
)

// Tile names a run of hashes of the tree (C2SP tlog-tiles): at level 0 hashes of leaves, at level 1
// hashes of subtrees of 256 leaves, which the tiles of level 0 have as their roots, and so on.
type Tile struct {
	Level int
	N     int64 // the tile's number in its level
	Width int   // how many hashes it has: TileWidth, or fewer for the last of its level
}

// Path is the tile's address below that of the ledger: tile/0/x001/067, tile/0/x001/068.p/17.
func (t Tile) Path() string {
	path := "tile/" + strconv.Itoa(t.Level) + "/" + groups(t.N)
	if t.Width < TileWidth {
		path += ".p/" + strconv.Itoa(t.Width)
	}
	return path
}

// groups writes a number in groups of three digits; x marks all but the last.
func groups(n int64) string {
	text := fmt.Sprintf("%03d", n%1000)
	for n >= 1000 {
		n /= 1000
		text = fmt.Sprintf("x%03d/%s", n%1000, text)
	}
	return text
}

// ParseTile reads what Path gives; nothing else.
func ParseTile(path string) (Tile, error) {
	t := Tile{Width: TileWidth}
	wrong := fmt.Errorf("%q is no address of a tile; they look like tile/0/x001/067 and tile/0/x001/068.p/17", path)
	level, rest, ok := strings.Cut(strings.TrimPrefix(path, "tile/"), "/")
	number, width, partial := strings.Cut(rest, ".p/")
	var err error
	if t.Level, err = strconv.Atoi(level); !ok || err != nil || t.Level < 0 || t.Level > 63 {
		return Tile{}, wrong
	}
	if partial {
		if t.Width, err = strconv.Atoi(width); err != nil || t.Width < 1 || t.Width >= TileWidth {
			return Tile{}, wrong
		}
	}
	for group := range strings.SplitSeq(number, "/") {
		digits, err := strconv.Atoi(strings.TrimPrefix(group, "x"))
		if err != nil || digits < 0 || digits > 999 || t.N > 1<<50 {
			return Tile{}, wrong
		}
		t.N = t.N*1000 + int64(digits)
	}
	if t.Path() != path {
		return Tile{}, wrong
	}
	return t, nil
}

// In says whether a tree of a size has the tile.
func (t Tile) In(size int64) bool {
	shift := TileHeight * t.Level
	if t.Level < 0 || shift > 62 || t.N < 0 || t.Width < 1 || t.Width > TileWidth {
		return false
	}
	return t.N <= size>>shift/TileWidth && t.N*TileWidth+int64(t.Width) <= size>>shift
}

// Tiles lists the tiles of a tree, of each level that has any all of them: fn gets them level by
// level.
func Tiles(size int64, fn func(Tile) error) error {
	for level := 0; size > 0; level, size = level+1, size/TileWidth {
		for n := int64(0); n*TileWidth < size; n++ {
			if err := fn(Tile{Level: level, N: n, Width: int(min(TileWidth, size-n*TileWidth))}); err != nil {
				return err
			}
		}
	}
	return nil
}

// FromTiles reads the hashes that proofs are made of (see [ProveEntry] and [ProveGrowth]) from
// tiles, and checks that the tiles belong to the tree. read gives the bytes of tiles, 32 for each
// hash.
func FromTiles(size int64, root Hash, read func([]Tile) ([][]byte, error)) tlog.HashReader {
	return tlog.TileHashReader(tlog.Tree{N: size, Hash: root}, tileReader(read))
}

type tileReader func([]Tile) ([][]byte, error)

func (tileReader) Height() int                         { return TileHeight }
func (tileReader) SaveTiles(_ []tlog.Tile, _ [][]byte) {}
func (read tileReader) ReadTiles(ts []tlog.Tile) ([][]byte, error) {
	tiles := make([]Tile, len(ts))
	for i, t := range ts {
		tiles[i] = Tile{Level: t.L, N: t.N, Width: t.W}
	}
	return read(tiles)
}

// FromTrustedTiles is FromTiles without the check: for whoever checks the proof that comes of it,
// which takes less. read gives the bytes of tiles, or more where they have grown.
func FromTrustedTiles(read func([]Tile) ([][]byte, error)) tlog.HashReader {
	return tlog.HashReaderFunc(func(indexes []int64) ([]Hash, error) {
		var tiles []Tile
		for _, index := range indexes {
			t := tlog.TileForIndex(TileHeight, index)
			at := slices.IndexFunc(tiles, func(known Tile) bool { return known.Level == t.L && known.N == t.N })
			if at < 0 {
				at, tiles = len(tiles), append(tiles, Tile{Level: t.L, N: t.N})
			}
			tiles[at].Width = max(tiles[at].Width, t.W)
		}
		data, err := read(tiles)
		if err != nil {
			return nil, err
		}
		hashes := make([]Hash, len(indexes))
		for i, index := range indexes {
			t := tlog.TileForIndex(TileHeight, index)
			at := slices.IndexFunc(tiles, func(known Tile) bool { return known.Level == t.L && known.N == t.N })
			t.W = len(data[at]) / tlog.HashSize
			if hashes[i], err = tlog.HashFromTile(t, data[at], index); err != nil {
				return nil, err
			}
		}
		return hashes, nil
	})
}

// ProveEntry gives the hashes that lead from the entry at an index to the root of a tree (RFC 6962
// §2.1.1).
func ProveEntry(size, index int64, hashes tlog.HashReader) ([]Hash, error) {
	return tlog.ProveRecord(size, index, hashes)
}

// ProveGrowth gives the hashes by which a tree shows that an older one is its beginning (RFC 6962
// §2.1.2).
func ProveGrowth(older, size int64, hashes tlog.HashReader) ([]Hash, error) {
	if older == 0 || older == size {
		return nil, nil
	}
	return tlog.ProveTree(size, older, hashes)
}

// VerifyGrowth checks such a proof: that newer goes on where older ends.
func VerifyGrowth(older, newer Checkpoint, proof []Hash) error {
	wrong := fmt.Errorf("the ledger of %d entries is not the beginning of that of %d entries: somebody has "+
		"rewritten it", older.Size, newer.Size)
	switch {
	case older.Origin != newer.Origin:
		return fmt.Errorf("the checkpoints are of two ledgers, %s and %s", older.Origin, newer.Origin)
	case older.Size > newer.Size:
		return fmt.Errorf("the checkpoint of %d entries is older than that of %d", newer.Size, older.Size)
	case older.Size == newer.Size && (older.Root != newer.Root || len(proof) > 0), older.Size == 0 && len(proof) > 0:
		return wrong
	case older.Size == 0, older.Size == newer.Size:
		return nil
	}
	if tlog.CheckTree(proof, newer.Size, newer.Root, older.Size, older.Root) != nil {
		return wrong
	}
	return nil
}
