//go:build !unix

package sealed

import "os"

// lock makes the folder. Nothing here keeps another process out.
func lock(folder string) (func() error, error) {
	return func() error { return nil }, os.MkdirAll(folder, 0o700)
}

// syncFolder has nothing to do: folders cannot be synced here.
func syncFolder(string) error { return nil }
