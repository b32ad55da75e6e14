package backup

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"frontdesk/internal/infra/store"
)

// staging begins the name of the folder, within the data folder, in which files wait for the
// database.
const staging = ".restore-"

// Restore puts a backup in the place of what is there: the database in one transaction, then the
// files of the data folder. Files that the backup does not name stay. Without replace, a database
// with content and files that differ are left alone, and the restore is refused. When it is broken
// off, all is as it was, or Finish completes it.
//
// The configuration is not written: it says where to restore to (see Contents.Config).
func Restore(ctx context.Context, path string, target Source, replace bool) (Contents, error) {
	contents, err := Verify(ctx, path)
	if err != nil {
		return Contents{}, err
	}
	if err := os.MkdirAll(target.Data, 0o700); err != nil {
		return Contents{}, err
	}
	if err := complete(ctx, target); err != nil {
		return Contents{}, err
	}
	stage := filepath.Join(target.Data, staging+contents.ID)
	if err := stageFiles(ctx, path, target, stage, replace); err != nil {
		return Contents{}, errors.Join(err, os.RemoveAll(stage))
	}
	load := store.LoadOptions{Replace: replace, Mark: contents.ID}
	err = store.Load(ctx, target.Store, contents.Layout, load, func(put func(int, [][]any) error) error {
		_, err := readFile(ctx, path, visitor{rows: put})
		return err
	})
	if err != nil {
		if errors.Is(err, store.ErrNotEmpty) {
			err = fmt.Errorf("%w and was left alone; name another database, or put the backup in its place "+
				"with --replace", err)
		}
		return Contents{}, errors.Join(err, os.RemoveAll(stage))
	}
	return contents, moveStaged(stage, target.Data)
}

// stageFiles writes the files of a backup into the staging folder, durably.
func stageFiles(ctx context.Context, path string, target Source, stage string, replace bool) error {
	_, err := readFile(ctx, path, visitor{file: func(name string, text []byte, mode fs.FileMode) error {
		if at, err := filepath.Abs(filepath.Join(target.Data, filepath.FromSlash(name))); err != nil ||
			ofDatabase(target, at) {
			return err // a file must not take the place of the database, whoever wrote the backup
		}
		there, err := os.ReadFile(filepath.Join(target.Data, filepath.FromSlash(name)))
		switch {
		case err == nil && bytes.Equal(there, text):
			return nil
		case err == nil && !replace:
			return fmt.Errorf("%s is there already and differs from the backup's; name another data folder, or put "+
				"the backup in its place with --replace", filepath.Join(target.Data, name))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return err
		}
		to := filepath.Join(stage, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return writeFile(to, text, mode)
	}})
	return err
}

// writeFile writes a file that is on the disk when it returns.
func writeFile(path string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Sync(), file.Close())
}

// moveStaged moves staged files to their places. It can be done again when it was broken off.
func moveStaged(stage, data string) error {
	err := filepath.WalkDir(stage, func(path string, found fs.DirEntry, err error) error {
		if err != nil || found.IsDir() {
			return err
		}
		relative, err := filepath.Rel(stage, path)
		if err != nil {
			return err
		}
		to := filepath.Join(data, relative)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := os.Rename(path, to); err != nil {
			return err
		}
		return syncFolder(filepath.Dir(to))
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return errors.Join(os.RemoveAll(stage), syncFolder(data))
}

// staged are the staging folders in a data folder.
func staged(data string) ([]string, error) {
	found, err := os.ReadDir(data)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var all []string
	for _, entry := range found {
		if entry.IsDir() && strings.HasPrefix(entry.Name(), staging) {
			all = append(all, filepath.Join(data, entry.Name()))
		}
	}
	return all, err
}

// complete finishes a restore that was broken off before, and removes what others have left that
// came to nothing.
func complete(ctx context.Context, target Source) error {
	all, err := staged(target.Data)
	if err != nil || len(all) == 0 {
		return err
	}
	db, err := store.Open(ctx, target.Store)
	if err != nil {
		return err
	}
	err = errors.Join(Finish(ctx, db, target.Data), db.Close())
	for _, stage := range all {
		if err == nil {
			err = os.RemoveAll(stage)
		}
	}
	return err
}

// Finish completes a restore that was broken off after its database was there: it moves the files
// that wait. It is for the start of whatever uses the data folder, and does nothing when nothing
// waits.
func Finish(ctx context.Context, db *store.DB, data string) error {
	all, err := staged(data)
	if err != nil || len(all) == 0 {
		return err
	}
	mark, err := db.LoadMark(ctx)
	if err != nil {
		return err
	}
	for _, stage := range all {
		if mark != "" && filepath.Base(stage) == staging+mark {
			err = errors.Join(err, moveStaged(stage, data))
		}
	}
	return err
}
