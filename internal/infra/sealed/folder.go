package sealed

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// lockName is the file by which a process has a folder.
const lockName = ".frontdesk-lock"

// Folder is a folder of files that one process at a time writes.
type Folder struct {
	path   string
	unlock func() error
}

// Take makes the folder and takes it for writing, until the process ends or lets go of it. It fails
// while another process has it.
func Take(path string) (*Folder, error) {
	unlock, err := lock(path)
	if err != nil {
		return nil, err
	}
	return &Folder{path, unlock}, nil
}

// LetGo lets another process take the folder.
func (f *Folder) LetGo() error { return f.unlock() }

// Ending ends the names of files that are made of something else, and so are in no backup.
const Ending = ".sealed"

// Keep removes the files with that ending that are not named, and what a process left half written.
// Who has mapped a file goes on with it.
func (f *Folder) Keep(names map[string]bool) error {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return err
	}
	var all []error
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, temporary) || strings.HasSuffix(name, Ending) && !names[name] {
			all = append(all, os.Remove(filepath.Join(f.path, name)))
		}
	}
	return errors.Join(all...)
}
