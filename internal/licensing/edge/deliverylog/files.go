package deliverylog

import (
	"os"
	"path/filepath"
	"runtime"
)

// disk is where segments are. Tests put one there that loses what was not synced.
type disk interface {
	// lock makes the folder if it is missing, and takes it for this process until unlock is called.
	lock(dir string) (unlock func() error, err error)
	list(dir string) (names []string, err error)
	read(dir, name string) ([]byte, error)
	// create makes a file that is not there, to append to.
	create(dir, name string) (file, error)
	sync(dir, name string) error
	// settle has the disk know the names in a folder.
	settle(dir string) error
	remove(dir, name string) error
}

// file is an open segment.
type file interface {
	Write([]byte) (int, error)
	Sync() error
	Close() error
}

// files is the operating system's disk.
type files struct{}

func (files) list(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

func (files) read(dir, name string) ([]byte, error) { return os.ReadFile(filepath.Join(dir, name)) }

func (files) create(dir, name string) (file, error) {
	return os.OpenFile(filepath.Join(dir, name), os.O_CREATE|os.O_EXCL|os.O_WRONLY|os.O_APPEND, 0o600)
}

func (files) sync(dir, name string) error {
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func (files) settle(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Sync()
}

func (files) remove(dir, name string) error { return os.Remove(filepath.Join(dir, name)) }
