//go:build unix

package deliverylog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock takes the folder by a lock that ends with the process.
func (files) lock(dir string) (func() error, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil,
			errors.Join(fmt.Errorf("another process uses it; stop that one, or give each its own folder (%w)", err),
				f.Close())
	}
	return f.Close, nil
}
