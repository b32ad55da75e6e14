package identity

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// signedName is the file in the folder of secrets that holds the latest checkpoint of the ledger
// that the keys have signed. It begins as what no backup keeps: put back, it would tell of less
// than was signed.
const signedName = ".frontdesk-signed"

// SaveSigned keeps, beside the keys, what they have signed last: so a database that is older than
// that is known, and the keys sign no second history. It is durable when KeepSigned returns.
func (s *SiteKeys) SaveSigned(note string) error {
	path := filepath.Join(s.folder, signedName)
	if err := putFile(s.folder, path, []byte(note), os.Rename); err != nil {
		return fmt.Errorf("%s cannot be written, by which a ledger that was put back from a backup would be known: "+
			"%w; let this user write there", path, err)
	}
	return nil
}

// LastSigned gives what KeepSigned kept last, by whichever process; empty for nothing.
func (s *SiteKeys) LastSigned() (note string, err error) {
	text, err := os.ReadFile(filepath.Join(s.folder, signedName))
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return string(text), err
}
