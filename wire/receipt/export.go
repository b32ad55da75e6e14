package receipt

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	"golang.org/x/mod/sumdb/tlog"

	"frontdesk/wire/strictjson"
)

// An export is a whole ledger as lines of JSON. The first says what it is,
//
//	{"export":1,"checkpoint":"..."}
//
// and then comes a line for each entry that the checkpoint counts, with its index and the hash of
// its leaf, by which an entry that was changed can be named:
//
//	{"index":0,"hash":"...","entry":{...}}

// ExportVersion is the version of exports.
const ExportVersion = 1

// maxLine bounds a line of an export.
const maxLine = 2 * MaxLeaf

// exportHead is the first line.
type exportHead struct {
	Export     int    `json:"export"`
	Checkpoint string `json:"checkpoint"`
}

// exportLine is any other.
type exportLine struct {
	Index int64            `json:"index"`
	Hash  string           `json:"hash"`
	Entry strictjson.Value `json:"entry"`
}

// ExportHead is the first line of an export, with its line feed.
func ExportHead(checkpoint string) ([]byte, error) {
	line, err := json.Marshal(exportHead{ExportVersion, checkpoint})
	return append(line, '\n'), err
}

// AppendExport adds the line of an entry, with its line feed.
func AppendExport(line []byte, index int64, leaf []byte) []byte {
	hash := LeafHash(leaf)
	line = strconv.AppendInt(append(line, `{"index":`...), index, 10)
	line = append(line, `,"hash":"`...)
	line = base64.StdEncoding.AppendEncode(line, hash[:])
	line = append(line, `","entry":`...)
	line = append(line, leaf...)
	return append(line, "}\n"...)
}

// VerifyExport reads an export and checks that it is true: that every entry is there, in its place
// and unchanged, and that one of the keys has signed the checkpoint over them. It holds one line at
// a time. The error names the first line that does not hold.
func VerifyExport(r io.Reader, keys Keys) (Checkpoint, error) {
	lines := bufio.NewReaderSize(r, maxLine)
	line, err := readLine(lines)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("the export has no first line: %w", err)
	}
	var head exportHead
	if err := strictjson.Decode(line, &head); err != nil || head.Export == 0 {
		return Checkpoint{}, errors.New(`this is no export of a ledger: its first line is not {"export":1,"checkpoint":"..."}`)
	}
	if head.Export != ExportVersion {
		return Checkpoint{}, fmt.Errorf("the export has the version %d; this program knows %d", head.Export,
			ExportVersion)
	}
	c, err := OpenCheckpoint(head.Checkpoint, keys)
	if err != nil {
		return c, err
	}
	var tree Edge
	for tree.Size() < c.Size {
		line, err := readLine(lines)
		if err != nil {
			return c, fmt.Errorf("the export ends before entry %d of the %d that its checkpoint counts: %w",
				tree.Size(), c.Size, err)
		}
		hash, err := checkLine(line, tree.Size())
		if err != nil {
			return c, err
		}
		if err := tree.Append(hash, func(Tile, []byte) error { return nil }); err != nil {
			return c, err
		}
	}
	if rest, err := readLine(lines); len(rest) > 0 || !errors.Is(err, io.EOF) {
		return c, fmt.Errorf("there is more in the export than the %d entries that its checkpoint counts", c.Size)
	}
	if tree.Root() != c.Root {
		return c,
			fmt.Errorf("the %d entries of the export are not those that its checkpoint signs: an entry was changed "+
				"together with its hash", c.Size)
	}
	return c, nil
}

// readLine gives the next line without its end. It is valid until the next call.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, fmt.Errorf("a line has more than %d bytes", maxLine)
	case errors.Is(err, io.EOF) && len(line) > 0:
		return line, nil
	case err != nil:
		return nil, err
	}
	return line[:len(line)-1], nil
}

// checkLine gives the hash of the entry in a line, if it is the one that the line says.
func checkLine(line []byte, index int64) (Hash, error) {
	if hash, ok := plainLine(line, index); ok {
		return hash, nil
	}
	var l exportLine
	if err := strictjson.Decode(line, &l); err != nil {
		return Hash{}, fmt.Errorf("entry %d of the export (line %d) cannot be read: %w", index, index+2, err)
	}
	if l.Index != index {
		return Hash{}, fmt.Errorf("line %d of the export has entry %d where entry %d belongs", index+2, l.Index, index)
	}
	entry, err := ParseEntry(l.Entry)
	if err != nil {
		return Hash{}, fmt.Errorf("entry %d of the export (line %d) is none: %w", index, index+2, err)
	}
	leaf, err := entry.Leaf()
	if err != nil {
		return Hash{}, fmt.Errorf("entry %d of the export (line %d) is none: %w", index, index+2, err)
	}
	hash := LeafHash(leaf)
	if hash.String() != l.Hash {
		return Hash{},
			fmt.Errorf("entry %d of the export (line %d, id %s) was changed: its hash is not the one beside it", index,
				index+2, entry.ID)
	}
	return hash, nil
}

// plainLine is checkLine for a line that is still as AppendExport writes it and holds what it says;
// of any other it only says so.
func plainLine(line []byte, index int64) (hash Hash, ok bool) {
	var buffer [64]byte
	start := append(strconv.AppendInt(append(buffer[:0], `{"index":`...), index, 10), `,"hash":"`...)
	const hashText, middle = (tlog.HashSize + 2) / 3 * 4, `","entry":`
	if !bytes.HasPrefix(line, start) || len(line) < len(start)+hashText+len(middle)+1 {
		return hash, false
	}
	line = line[len(start):]
	if n, err := base64.StdEncoding.Strict().Decode(buffer[:hashText], line[:hashText]); err != nil ||
		n != tlog.HashSize {
		return hash, false
	}
	hash = Hash(buffer[:tlog.HashSize])
	line = line[hashText:]
	if !bytes.HasPrefix(line, []byte(middle)) || line[len(line)-1] != '}' {
		return hash, false
	}
	return hash, LeafHash(line[len(middle):len(line)-1]) == hash
}
