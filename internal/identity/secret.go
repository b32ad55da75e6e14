package identity

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// secretSize is how many bytes a secret has.
const secretSize = 32

// OpenSecret reads the secret of a name from a folder of secrets, which only this program's user
// can read. What is missing is made: the folder, and a secret of 32 random bytes. Processes that
// open it at the same time get the same one.
func OpenSecret(folder, name string) ([]byte, error) {
	path := filepath.Join(folder, name)
	secret, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err := makeSecret(folder, path); err != nil {
			return nil, fmt.Errorf("the secret %s cannot be made: %w; let this user write there", path, err)
		}
		secret, err = os.ReadFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("the secret %s cannot be read: %w; let this user read it", path, err)
	}
	if len(secret) != secretSize {
		return nil,
			fmt.Errorf("the secret %s has %d bytes instead of %d; put it back from a backup, or remove it, and a new "+
				"one is made", path, len(secret), secretSize)
	}
	return secret, nil
}

// CheckSecret says whether OpenSecret would give a secret, and leaves everything as it is.
func CheckSecret(folder, name string) error {
	if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
		_, err = OpenSecret(folder, name)
		return err
	}
	// What is missing of the folder would be made in what is there.
	there := folder
	for _, err := os.Stat(there); errors.Is(err, fs.ErrNotExist) && there != filepath.Dir(there); _,
		err = os.Stat(there) {
		there = filepath.Dir(there)
	}
	probe, err := os.CreateTemp(there, ".new-*")
	if err != nil {
		return fmt.Errorf("the secret %s cannot be made: %w; let this user write there",
			filepath.Join(folder, name), err)
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// makeSecret makes a secret, unless somebody else was faster.
func makeSecret(folder, path string) error {
	secret := make([]byte, secretSize)
	rand.Read(secret)
	if err := putFile(folder, path, secret, os.Link); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// putFile puts a file that only this program's user can read in place in one step, so that nobody
// ever reads half of it, and makes the folder if it is missing. With os.Link as the step the file
// must not be there yet (fs.ErrExist); with os.Rename it replaces what is there.
func putFile(folder, path string, text []byte, step func(from, to string) error) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(folder, ".new-*") // for its owner alone
	if err != nil {
		return err
	}
	defer os.Remove(file.Name())
	_, err = file.Write(text)
	if err = errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	if err := step(file.Name(), path); err != nil {
		return err
	}
	return syncFolder(folder)
}

// syncFolder makes a new name in a folder durable, where the system can.
func syncFolder(folder string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	dir, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(dir.Sync(), dir.Close())
}
