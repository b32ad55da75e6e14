// Package sealed keeps what was computed from something else in files: sections of bytes with
// checksums, written once and whole, and mapped into memory when they are read.
//
// A file is the old one or the new one, whatever happens while it is written. One that is damaged,
// cut off, or of another writer is refused, and whoever reads it computes again. The package knows
// nothing of what the sections are. What a mapping holds stays for as long as the process does, so
// that slices and texts of it may go anywhere.
//
// Enter at Write and Open. Of and Bytes turn sections into slices of numbers and back; a Folder is
// where the files of one writer are.
package sealed

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"

	"github.com/edsrzf/mmap-go"
)

// Identity says by whom and from what a file was made. A file of another one is not read.
type Identity [sha256.Size]byte

// IdentityOf is the identity of everything that a file's content depends on.
func IdentityOf(parts ...string) Identity {
	sum := sha256.New()
	for _, part := range parts {
		sum.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(part))))
		io.WriteString(sum, part)
	}
	return Identity(sum.Sum(nil))
}

// A file is a head, then the sections in their order, each filled up with zeros to a multiple of
// align. The head: magic, mark as this machine writes it, how many sections, the identity; for each
// section its length and the checksum of its bytes with the zeros; the head's own checksum, filled
// up likewise.
const (
	magic       = "FDSEAL1\n"
	mark        = 0x01020304
	align       = 64
	fixed       = len(magic) + 4 + 4 + len(Identity{})
	entry       = 8 + 4
	maxSections = 1 << 12
	chunk       = 1 << 20 // bytes that are read at a time
)

var sums = crc32.MakeTable(crc32.Castagnoli)

// ErrForeign is the error of a file that somebody else made, or made from something else.
var ErrForeign = errors.New("it is of another version of the program, or of other content, terms or tables")

var errDamaged = errors.New("it is damaged")

// Sum identifies a file with all that it holds.
type Sum [sha256.Size]byte

func padding(n uint64) int { return int(-n & (align - 1)) }

func headSize(sections int) int {
	n := fixed + sections*entry + 4
	return n + padding(uint64(n))
}

// Write writes a file of sections in the place of the one at path, if there is one. It gives its
// sum when the file is durable.
func Write(path string, of Identity, sections [][]byte) (Sum, error) {
	if len(sections) > maxSections {
		return Sum{}, fmt.Errorf("write %s: %d sections", path, len(sections))
	}
	head := headOf(of, sections)
	file, err := os.CreateTemp(filepath.Dir(path), temporary+"*")
	if err != nil {
		return Sum{}, err
	}
	defer os.Remove(file.Name())
	err = errors.Join(writeAll(file, head, sections), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err == nil {
		err = syncFolder(filepath.Dir(path))
	}
	if err != nil {
		return Sum{}, fmt.Errorf("write %s: %w", path, err)
	}
	return sha256.Sum256(head), nil
}

// temporary begins the names of files that are being written.
const temporary = ".frontdesk-sealing-"

func headOf(of Identity, sections [][]byte) []byte {
	head := append(make([]byte, 0, headSize(len(sections))), magic...)
	head = binary.NativeEndian.AppendUint32(head, mark)
	head = binary.LittleEndian.AppendUint32(head, uint32(len(sections)))
	head = append(head, of[:]...)
	for _, section := range sections {
		sum := crc32.Checksum(section, sums)
		sum = crc32.Update(sum, sums, make([]byte, padding(uint64(len(section)))))
		head = binary.LittleEndian.AppendUint64(head, uint64(len(section)))
		head = binary.LittleEndian.AppendUint32(head, sum)
	}
	head = append(head, make([]byte, cap(head)-4-len(head))...)
	return binary.LittleEndian.AppendUint32(head, crc32.Checksum(head, sums))
}

func writeAll(to io.Writer, head []byte, sections [][]byte) error {
	b := bufio.NewWriterSize(to, chunk)
	b.Write(head)
	for _, section := range sections {
		b.Write(section)
		b.Write(make([]byte, padding(uint64(len(section)))))
	}
	return b.Flush() // with the error of any of the writes
}

// File is a file that was found whole and is mapped into memory.
type File struct {
	Sum      Sum
	Sections [][]byte // they must not be changed
}

// Open maps a file, whose bytes it has held against their checksums before.
func Open(path string, of Identity) (*File, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s: it is no file", path)
	}
	h, err := verify(file, info.Size(), of)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := mmap.Map(file, mmap.RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("%s: map it into memory: %w", path, err)
	}
	return h.cut(data), nil
}

// head is what the head of a file says.
type head struct {
	sum   Sum
	size  int
	sizes []uint64
	sums  []uint32
}

// verify reads a file of size bytes from its beginning to its end and gives its head.
func verify(file io.Reader, size int64, of Identity) (*head, error) {
	h, err := readHead(file, size, of)
	if err != nil {
		return nil, err
	}
	left := uint64(size) - uint64(h.size)
	buffer := make([]byte, min(chunk, left))
	for i, length := range h.sizes {
		if length > left || length+uint64(padding(length)) > left {
			return nil, errDamaged
		}
		padded := length + uint64(padding(length))
		left -= padded
		sum := uint32(0)
		for padded > 0 {
			part := buffer[:min(padded, chunk)]
			if _, err := io.ReadFull(file, part); err != nil {
				return nil, cutOff(err)
			}
			sum = crc32.Update(sum, sums, part)
			padded -= uint64(len(part))
		}
		if sum != h.sums[i] {
			return nil, errDamaged
		}
	}
	if left != 0 {
		return nil, errDamaged
	}
	return h, nil
}

func cutOff(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errDamaged
	}
	return err
}

func readHead(file io.Reader, size int64, of Identity) (*head, error) {
	begin := make([]byte, fixed)
	if _, err := io.ReadFull(file, begin); err != nil {
		return nil, cutOff(err)
	}
	rest := begin[len(magic):]
	if string(begin[:len(magic)]) != magic || binary.NativeEndian.Uint32(rest) != mark {
		return nil, ErrForeign
	}
	count := binary.LittleEndian.Uint32(rest[4:])
	if count > maxSections || int64(headSize(int(count))) > size {
		return nil, errDamaged
	}
	whole := append(begin, make([]byte, headSize(int(count))-fixed)...)
	if _, err := io.ReadFull(file, whole[fixed:]); err != nil {
		return nil, cutOff(err)
	}
	end := len(whole) - 4
	if crc32.Checksum(whole[:end], sums) != binary.LittleEndian.Uint32(whole[end:]) {
		return nil, errDamaged
	}
	if !bytes.Equal(rest[8:8+len(of)], of[:]) {
		return nil, ErrForeign
	}
	h := &head{sum: sha256.Sum256(whole), size: len(whole)}
	for at := fixed; len(h.sizes) < int(count); at += entry {
		h.sizes = append(h.sizes, binary.LittleEndian.Uint64(whole[at:]))
		h.sums = append(h.sums, binary.LittleEndian.Uint32(whole[at+8:]))
	}
	return h, nil
}

// cut gives the sections of a file whose head was found to be right.
func (h *head) cut(data []byte) *File {
	f := &File{Sum: h.sum}
	at := uint64(h.size)
	for _, length := range h.sizes {
		f.Sections = append(f.Sections, data[at:at+length:at+length])
		at += length + uint64(padding(length))
	}
	return f
}
