package receipt

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
)

// Checkpoint says what a ledger held at one moment: all its entries, by one hash (C2SP
// tlog-checkpoint).
type Checkpoint struct {
	Origin string // the ledger's name, and that of the keys that sign it
	Size   int64  // how many entries it has
	Root   Hash   // the root of the tree over them
}

// maxCheckpoint bounds a signed checkpoint: lines for a few signatures.
const maxCheckpoint = 16 << 10

// CheckOrigin says whether a text can name a ledger: as an address without its scheme, such as
// example.com/ledger.
func CheckOrigin(origin string) error {
	if origin == "" || len(origin) > 255 ||
		strings.ContainsFunc(origin, func(r rune) bool { return r <= ' ' || r == '+' || r > '~' }) {
		return fmt.Errorf("%q cannot name a ledger: take an address without its scheme, such as example.com/ledger",
			origin)
	}
	return nil
}

// Text is what is signed.
func (c Checkpoint) Text() string {
	return c.Origin + "\n" + strconv.FormatInt(c.Size, 10) + "\n" + c.Root.String() + "\n"
}

// ParseCheckpoint reads the text of a checkpoint, without its signatures. Lines after the third are
// extensions, which are let be.
func ParseCheckpoint(text string) (Checkpoint, error) {
	wrong := func(what string) (Checkpoint, error) {
		return Checkpoint{}, fmt.Errorf("this is no checkpoint: %s", what)
	}
	lines := strings.Split(text, "\n")
	if len(text) > maxCheckpoint || len(lines) < 4 || lines[len(lines)-1] != "" {
		return wrong("it needs three lines: the ledger's name, the number of entries, the hash")
	}
	if err := CheckOrigin(lines[0]); err != nil {
		return wrong(err.Error())
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return wrong("its second line is no number of entries")
	}
	root, err := ParseHash(lines[2])
	if err != nil {
		return wrong("its third line: " + err.Error())
	}
	return Checkpoint{Origin: lines[0], Size: size, Root: root}, nil
}

// Sign gives the checkpoint with the signatures of all signers, as a C2SP signed note. Their names
// must be its origin.
func (c Checkpoint) Sign(signers ...note.Signer) (string, error) {
	if err := CheckOrigin(c.Origin); err != nil {
		return "", err
	}
	if len(signers) == 0 {
		return "", errors.New("there is no key to sign the ledger with")
	}
	for _, s := range signers {
		if s.Name() != c.Origin {
			return "", fmt.Errorf("the key %s cannot sign the ledger %s", s.Name(), c.Origin)
		}
	}
	signed, err := note.Sign(&note.Note{Text: c.Text()}, signers...)
	return string(signed), err
}

// OpenCheckpoint reads a signed checkpoint, and checks that one of the keys has signed it.
func OpenCheckpoint(signed string, keys Keys) (Checkpoint, error) {
	c, err := unsigned(signed)
	if err != nil {
		return c, err
	}
	verifiers, err := keys.verifiers(c.Origin)
	if err != nil {
		return c, err
	}
	_, err = note.Open([]byte(signed), verifiers)
	var wrong *note.InvalidSignatureError
	var unknown *note.UnverifiedNoteError
	switch {
	case errors.As(err, &wrong):
		err = fmt.Errorf("the checkpoint was changed, or its signature was: the signature of the key %s+%08x does "+
			"not fit", wrong.Name, wrong.Hash)
	case errors.As(err, &unknown):
		err = fmt.Errorf("the checkpoint of %s is signed by none of the given keys", c.Origin)
	case err != nil:
		err = fmt.Errorf("the checkpoint is not a signed note: %w", err)
	}
	return c, err
}

// unsigned reads a signed checkpoint without a look at its signatures.
func unsigned(signed string) (Checkpoint, error) {
	text, signatures, ok := strings.Cut(signed, "\n\n")
	if !ok || len(signed) > maxCheckpoint {
		return Checkpoint{}, errors.New("this is no checkpoint: it has no signatures")
	}
	for line := range strings.Lines(signatures) { // the library lets several spellings of a signature pass
		_, signature, _ := strings.Cut(strings.TrimPrefix(strings.TrimSuffix(line, "\n"), "— "), " ")
		if _, err := base64.StdEncoding.Strict().DecodeString(signature); err != nil {
			return Checkpoint{}, fmt.Errorf("a signature of the checkpoint was changed: %.60q is no base64", signature)
		}
	}
	return ParseCheckpoint(text + "\n")
}

// SignedBy gives the hashes of the keys that a signed checkpoint names, in their order. It does not
// verify anything.
func SignedBy(signed string) []uint32 {
	n, err := note.Open([]byte(signed), note.VerifierList())
	var unknown *note.UnverifiedNoteError
	if errors.As(err, &unknown) {
		n = unknown.Note
	}
	if n == nil {
		return nil
	}
	var hashes []uint32
	for _, s := range n.UnverifiedSigs {
		hashes = append(hashes, s.Hash)
	}
	return hashes
}

// AllSigned checks that a checkpoint bears signatures of the given keys, and no others.
func AllSigned(signed string, keys Keys) error {
	c, err := OpenCheckpoint(signed, keys)
	if err != nil {
		return err
	}
	verifiers, err := keys.verifiers(c.Origin)
	if err != nil {
		return err
	}
	n, err := note.Open([]byte(signed), verifiers)
	if err == nil && len(n.UnverifiedSigs) > 0 {
		err = fmt.Errorf("the checkpoint has a signature of a key that is not ours: %s+%08x", n.UnverifiedSigs[0].Name,
			n.UnverifiedSigs[0].Hash)
	}
	return err
}
